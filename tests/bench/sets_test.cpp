// SPDX-License-Identifier: Apache-2.0
#include "sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

#include "support/scratch_folder.hpp"

namespace hogwild::bench {
namespace {

using test::scratch_folder;

TEST(sets, every_set_can_be_trained_as_it_stands) {
  std::set<std::string_view> names;
  for (const known_set& s : known_sets()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_NO_THROW(make_model(s.model)) << s.name;
    EXPECT_GT(s.step, 0.0) << s.name;
    EXPECT_TRUE(s.decay > 0.0 && s.decay <= 1.0) << s.name;
    EXPECT_GE(s.epochs, 2u) << s.name;
    EXPECT_EQ(s.train.empty(), s.test.empty()) << s.name;
  }
}

TEST(sets, an_unknown_name_is_answered_with_those_that_are_known) {
  EXPECT_EQ(find_set("imdb").name, "imdb");
  try {
    find_set("nobody");
    FAIL() << "it was found";
  } catch (const config_error& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("nobody"), ::testing::HasSubstr("rcv1_hinge")));
  }
}

TEST(sets, a_plain_file_comes_before_a_compressed_one) {
  const scratch_folder folder;
  EXPECT_THROW(file_of_set(folder.path(), "rows"), input_error);
  std::ofstream(folder.path() / "rows.xz") << "x";
  EXPECT_EQ(file_of_set(folder.path(), "rows").filename(), "rows.xz");
  std::ofstream(folder.path() / "rows") << "x";
  EXPECT_EQ(file_of_set(folder.path(), "rows").filename(), "rows");
}

}  // namespace
}  // namespace hogwild::bench
