// SPDX-License-Identifier: Apache-2.0
#include "data/narrowing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::detail {
namespace {

using ::testing::ElementsAre;

label_codes codes_for(const std::vector<double>& labels) {
  label_codes codes;
  for (const double label : labels) codes.add(label);
  codes.number();
  return codes;
}

TEST(label_codes, ascend_with_the_labels) {
  const label_codes codes = codes_for({7.0, -1.0, 7.0, 0.5});
  EXPECT_THAT(codes.table(), ElementsAre(-1.0, 0.5, 7.0));
  EXPECT_EQ(codes.code(-1.0), 0);
  EXPECT_EQ(codes.code(0.5), 1);
  EXPECT_EQ(codes.code(7.0), 2);
}

TEST(label_codes, keep_the_sign_of_zero) {
  const label_codes codes = codes_for({0.0, -0.0});
  ASSERT_EQ(codes.table().size(), 2u);
  EXPECT_TRUE(std::signbit(codes.table()[codes.code(-0.0)]));
  EXPECT_FALSE(std::signbit(codes.table()[codes.code(0.0)]));
}

TEST(label_codes, are_there_for_256_labels_and_not_for_257) {
  const counter_random random(3, 0);
  std::vector<double> labels;
  for (std::uint64_t n = 0; n < 256; ++n) labels.push_back(random.uniform(n));
  const label_codes codes = codes_for(labels);
  ASSERT_EQ(codes.table().size(), 256u);
  for (const double label : labels) EXPECT_EQ(codes.table()[codes.code(label)], label);
  labels.push_back(2.0);
  EXPECT_FALSE(codes_for(labels).fits());
  EXPECT_TRUE(codes_for(labels).table().empty());
}

TEST(label_codes, of_parts_are_those_of_the_whole) {
  label_codes one, other;
  for (int n = 0; n < 200; ++n) one.add(n), other.add(n + 100);
  other.add(one);
  EXPECT_FALSE(other.fits());
  label_codes few, more;
  few.add(2.0), more.add(1.0), more.add(2.0);
  more.add(few);
  more.number();
  EXPECT_THAT(more.table(), ElementsAre(1.0, 2.0));
}

TEST(halves, are_told_from_other_values) {
  EXPECT_TRUE(are_halves({}));
  EXPECT_TRUE(are_halves(std::vector{1.0f, -0.0f, 65504.0f, 0x1p-24f, 0x1.ffcp-14f}));
  for (const float x : {0.1f, 65505.0f, 0x1p-25f, 2049.0f, 1e30f, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_FALSE(are_halves(std::vector{1.0f, x})) << x;
}

TEST(halves, the_first_value_beyond_them_is_found) {
  EXPECT_EQ(first_beyond_half({}), 0u);
  EXPECT_EQ(first_beyond_half(std::vector{1.0f, -65504.0f, 0.1f}), 3u);
  EXPECT_EQ(first_beyond_half(std::vector{1.0f, -65504.004f, 1e9f}), 1u);
  EXPECT_EQ(first_beyond_half(std::vector{std::numeric_limits<float>::infinity()}), 0u);
}

TEST(widths, follow_from_the_columns) {
  cache_header header;
  header.columns = 65536;
  narrow_indices(header);
  EXPECT_EQ(header.index_bytes, 2);
  EXPECT_TRUE(header.columns_packed());
  header.columns = 65537;
  narrow_indices(header);
  EXPECT_EQ(header.index_bytes, 4);
  EXPECT_FALSE(header.columns_packed());
}

}  // namespace
}  // namespace hogwild::detail
