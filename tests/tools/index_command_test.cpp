// SPDX-License-Identifier: Apache-2.0
// Neighbours by an index that is kept beside the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include <hogwild/word_vectors.hpp>

#include "command.hpp"

namespace hogwild::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

word_vectors words_of_seed(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  word_vectors made{.dimension = 6};
  for (int w = 0; w < 300; ++w) {
    made.words.push_back("w" + std::to_string(w));
    for (std::size_t k = 0; k < made.dimension; ++k) made.values.push_back(normal(random));
  }
  return made;
}

class index_command : public ::testing::Test {
 protected:
  const scratch_folder folder;
  const std::string vectors = folder / "v.vec", index = vectors + ".hnsw";

  void SetUp() override { save_word_vectors(vectors, words_of_seed(1), vector_format::text); }
  outcome near(const command_words& more) const { return hogwild({"neighbors", vectors, "w7 --index hnsw", more}); }
};

TEST_F(index_command, is_built_once_and_built_again_for_other_vectors) {
  const outcome first = near({});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("v.vec.hnsw is built, since there is none"));
  EXPECT_THAT(first.err, HasSubstr("of the 10 nearest, on 200 of 300 vectors"));
  EXPECT_EQ(first.out, hogwild({"neighbors", vectors, "w7"}).out) << "so few are all looked at";
  const outcome again = near({});
  EXPECT_THAT(again.err, testing::Not(HasSubstr("is built")));
  EXPECT_EQ(again.out, first.out);

  save_word_vectors(vectors, words_of_seed(2), vector_format::text);
  const outcome changed = near({});
  EXPECT_THAT(changed.err, HasSubstr("is built, since the one that is there is of other vectors"));
  EXPECT_EQ(changed.out, hogwild({"neighbors", vectors, "w7"}).out);
  std::filesystem::resize_file(index, 1000);
  EXPECT_THAT(near({}).err, HasSubstr("is built, since the one that is there is not whole"));
  EXPECT_THAT(near({"--quiet"}).err, IsEmpty());
}

TEST_F(index_command, leaves_other_files_alone) {
  folder.write("v.vec.hnsw", "my notes\n");
  const outcome refused = near({});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("v.vec.hnsw: this is no index, and would be replaced by one: move it away"));
  EXPECT_EQ(std::filesystem::file_size(index), 9u);
  EXPECT_THAT(hogwild({"neighbors", "- a --index hnsw"}, "2 1\na 1\nb 2\n").err,
              HasSubstr("standard input has no place"));
}

TEST_F(index_command, of_users_and_of_items_are_two_files) {
  std::string pairs;
  for (int user = 0; user < 30; ++user)
    for (int k = 0; k < 10; ++k)
      if ((user + k) % 4 != 0) pairs += std::to_string(user) + "\t" + std::to_string(user % 3 + 3 * k) + "\n";
  const std::string file = folder.write("pairs.tsv", pairs), model = folder / "m.bin";
  (void)result_of({"train", file, "--model bpr --factors 8 --epochs 10 --json --quiet --save", model});
  for (const char* const of : {"items", "users"}) {
    const command_words asked{"4 --top 5 --quiet --of", of};
    EXPECT_EQ(hogwild({"neighbors", model, asked, "--index hnsw"}).out, hogwild({"neighbors", model, asked}).out) << of;
    EXPECT_TRUE(std::filesystem::exists(model + "." + of + ".hnsw"));
  }
}

}  // namespace
}  // namespace hogwild::test
