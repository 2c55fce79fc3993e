// SPDX-License-Identifier: Apache-2.0
#include "narrowing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <hogwild/core/random.hpp>

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

TEST(widths, follow_from_the_sizes) {
  const std::vector<std::uint32_t> near{1, 65535}, far{1, 65536};
  cache_header header;
  header.columns = 65536;
  header.nonzeros = 0xffffffffu;
  narrow_indices(header, near, far);
  EXPECT_EQ(header.row_start_bytes, 4);
  EXPECT_EQ(header.index_bytes, 2);
  EXPECT_EQ(header.original_bytes, 2);
  EXPECT_EQ(header.degree_bytes, 4);
  header.columns = 65537;
  header.nonzeros = std::uint64_t{1} << 32;
  narrow_indices(header, far, near);
  EXPECT_EQ(header.row_start_bytes, 8);
  EXPECT_EQ(header.index_bytes, 4);
  EXPECT_EQ(header.original_bytes, 4);
  EXPECT_EQ(header.degree_bytes, 2);
}

struct set_shape {
  std::uint64_t rows, columns, nonzeros;
  std::uint32_t most_frequent;  ///< rows of the commonest column
};

double bytes_per_nonzero(const set_shape& set, std::uint8_t value_bytes) {
  cache_header header;
  header.rows = set.rows;
  header.columns = set.columns;
  header.nonzeros = set.nonzeros;
  header.rows_per_block = 16384 * header.rows / header.nonzeros;
  header.label_values = 2;
  header.value_bytes = value_bytes;
  narrow_indices(header, std::vector{static_cast<std::uint32_t>(set.columns)}, std::vector{set.most_frequent});
  lay_out(header);
  return static_cast<double>(header.file_bytes) / static_cast<double>(header.nonzeros);
}

TEST(widths, text_takes_little_more_than_its_entries) {
  // What `hogwild generate` makes by default, and a collection of 25,000 reviews.
  for (const set_shape& set : {set_shape{179'882, 47'236, 13'465'548, 79'098}, {25'000, 47'603, 3'496'081, 25'000}}) {
    EXPECT_LE(bytes_per_nonzero(set, 2), 4.1);
    EXPECT_LE(bytes_per_nonzero(set, 4), 6.1);
  }
}

}  // namespace
}  // namespace hogwild::detail
