// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/row_index.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/embeddings/nearest_rows.hpp>
#include <hogwild/error.hpp>

#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

namespace hogwild {
namespace {

using testing::HasSubstr;

struct indexed_rows : testing::Test {
  static constexpr std::size_t count = 600, width = 9, top = 5;

  static std::vector<float> rows_of_seed(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> rows(count * width);
    for (float& x : rows) x = normal(random);
    return rows;
  }

  test::scratch_folder folder;
  const std::string file = folder / "rows.hnsw";
  const std::vector<float> rows = rows_of_seed(3);

  std::string bytes() const {
    std::ifstream from(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  void build() const {
    row_index index(rows, width);
    index.build();
    index.write(file);
  }
  std::string read() const { return row_index(rows, width).read(file); }
};

TEST_F(indexed_rows, are_found_as_by_a_look_at_all_of_them) {
  // 200 of 600 rows are looked at for each, so that few are missed. Rows and index are the same in each run.
  constexpr std::size_t unseen = 1;
  std::vector<std::uint32_t> asked;
  for (std::uint32_t k = 0; k < count; ++k) asked.push_back(k);
  row_index index(rows, width, unseen);
  index.build();
  const auto wanted = nearest_rows(rows, width, unseen).of(asked, top), found = index.of(asked, top);
  std::size_t hits = 0;
  for (std::size_t k = 0; k < count; ++k) {
    ASSERT_EQ(found[k].size(), top);
    for (std::size_t i = 0; i < top; ++i) {
      EXPECT_NE(found[k][i].target, asked[k]);
      EXPECT_LT(found[k][i].target, count - unseen) << "an unseen row";
      EXPECT_LE(found[k][i].score, found[k][std::max<std::size_t>(i, 1) - 1].score);
      if (found[k][i].target != wanted[k][i].target) continue;
      EXPECT_NEAR(found[k][i].score, wanted[k][i].score, 1e-6);
      ++hits;
    }
  }
  EXPECT_GT(hits, top * count * 95 / 100);
}

TEST_F(indexed_rows, have_the_same_index_each_time_which_answers_the_same_once_it_was_read) {
  const ::mode_t usual = ::umask(0);
  build();
  ::umask(usual);
  const std::string first = bytes();
  struct ::stat facts {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 022u, 0u) << "its owner alone may write to it";
  build();
  EXPECT_TRUE(bytes() == first);
  row_index built(rows, width), kept(rows, width);
  built.build();
  EXPECT_EQ(kept.read(file), "");
  const std::vector<std::uint32_t> asked{0, 17, count - 1};
  const auto a = built.of(asked, top), b = kept.of(asked, top);
  for (std::size_t k = 0; k < asked.size(); ++k)
    for (std::size_t i = 0; i < top; ++i) EXPECT_EQ(a[k].at(i).target, b[k].at(i).target);
}

TEST_F(indexed_rows, are_indexed_anew_where_the_file_does_not_suit_them) {
  build();
  EXPECT_EQ(read(), "");
  EXPECT_THAT(row_index(rows_of_seed(4), width).read(file), HasSubstr("of other vectors"));
  EXPECT_THAT(row_index(rows, 3 * width).read(file), HasSubstr("of other vectors"));
  const std::string whole = bytes();
  for (const std::size_t length : {std::size_t{1}, std::size_t{16}, std::size_t{55}, std::size_t{56}, std::size_t{200},
                                   whole.size() / 2, whole.size() - 1}) {
    folder.write("rows.hnsw", whole.substr(0, length));
    EXPECT_THAT(read(), HasSubstr("is not whole")) << length;
  }
  folder.write("rows.hnsw", whole + "x");
  EXPECT_THAT(read(), HasSubstr("is not whole"));
  for (const std::size_t at : {std::size_t{40}, std::size_t{60}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    folder.write("rows.hnsw", damaged);
    EXPECT_THAT(read(), HasSubstr("is not whole")) << at;
  }
}

TEST_F(indexed_rows, leave_files_of_others_alone) {
  for (const char* const text : {"", "1 2:1\n", "hogwild model"}) {
    folder.write("rows.hnsw", text);
    EXPECT_THAT(test::message_of<input_error>([&] { read(); }), HasSubstr("this is no index")) << text;
    EXPECT_EQ(bytes(), text);
  }
  build();
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_THAT(test::message_of<input_error>([&] { read(); }), HasSubstr("is not used as an index"));
}

TEST(few_indexed_rows, are_found_too) {
  const std::vector<float> rows{1, 0, 2, 0, 0, 0, 0, 3};
  row_index index(rows, 2);
  index.build();
  const std::vector<std::uint32_t> asked{0, 2};
  const auto near = index.of(asked, 9);
  ASSERT_EQ(near[0].size(), 3u);
  EXPECT_EQ(near[0][0].target, 1u);
  EXPECT_EQ(near[0][0].score, 1.0f);
  EXPECT_EQ(near[1][0].target, 0u) << "of equally near ones the first";
  EXPECT_EQ(near[1][0].score, 0.0f);
  EXPECT_TRUE(index.of(asked, 0)[0].empty());
  row_index alone(std::span<const float>(rows).first(2), 2);
  alone.build();
  EXPECT_TRUE(alone.of(std::span<const std::uint32_t>(asked).first(1), 3)[0].empty());
}

}  // namespace
}  // namespace hogwild
