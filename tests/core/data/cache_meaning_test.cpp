// SPDX-License-Identifier: Apache-2.0
// Sealed datasets with meaningless numbers are refused although every checksum holds.
#include "data/cache_meaning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>

#include "data/dataset_writer.hpp"
#include "data/narrowing.hpp"
#include "data/writable_arrays.hpp"
#include "support/refusals.hpp"

namespace hogwild::detail {
namespace {

using ::testing::HasSubstr;

/// The parts of a dataset, sound or not.
struct contents {
  input_format kind = input_format::libsvm;
  std::vector<std::vector<std::pair<std::uint32_t, float>>> rows;
  std::vector<double> label, table{};               ///< with a table, labels are places in it
  std::vector<std::vector<std::uint32_t>> lists{};  ///< of places in the table
  std::vector<std::uint32_t> original, degree{};    ///< degree: counted where it is empty
  image_shape image{};
  bool numbered = false;
};

sparse_dataset sealed(const contents& c) {
  cache_header sizes;
  sizes.kind = c.kind;
  sizes.numbered = c.numbered ? 1 : 0;
  sizes.rows = c.rows.size();
  sizes.columns = sizes.first_singleton = c.original.size();
  for (const auto& row : c.rows) sizes.nonzeros += row.size();
  sizes.label_values = static_cast<std::uint32_t>(c.table.size());
  if (!c.lists.empty()) sizes.version = list_cache_version;
  sizes.set_image(c.image);
  sizes.rows_per_block = static_cast<std::uint32_t>(c.rows.size());
  narrow_indices(sizes);
  dataset_writer file = dataset_writer::in_memory(sizes);
  const writable_arrays to(file.arrays());
  std::vector<std::uint32_t> degree(c.original.size());
  std::uint64_t place = 0;
  for (std::size_t r = 0; r < c.rows.size(); ++r) {
    to.start_row(r, place);
    if (c.lists.empty() && c.table.empty()) to.label[r] = c.label[r];
    if (c.lists.empty() && !c.table.empty()) to.label_code[r] = static_cast<std::uint8_t>(c.label[r]);
    for (const auto& [column, value] : c.rows[r]) {
      to.index16[place] = static_cast<std::uint16_t>(column);
      to.value[place++] = value;
      if (column < degree.size()) ++degree[column];
    }
  }
  to.start_row(c.rows.size(), place);
  std::ranges::copy(c.table, to.label_table.begin());
  to.columns(c.original, c.degree.empty() ? degree : c.degree);
  if (!c.lists.empty()) {
    std::vector<std::uint32_t> start{0}, code;
    for (const auto& list : c.lists) {
      code.insert(code.end(), list.begin(), list.end());
      start.push_back(static_cast<std::uint32_t>(code.size()));
    }
    file.set_lists(std::move(start), std::move(code));
  }
  file.seal_block(0, place);
  return std::move(file).finish();
}

constexpr const char* sound = "accepted";

/// The error message for the first reader.
std::string fault_of(const contents& c) {
  return test::message_of<cache_error>([&] {
    const sparse_dataset data = sealed(c);
    data.view().ensure(0, data.rows());
  });
}

std::string fault_of(contents c, const std::function<void(contents&)>& change) {
  change(c);
  return fault_of(c);
}

contents plain_rows() {
  return {.rows = {{{0, 1.0f}, {1, 2.0f}}, {{1, -3.0f}}}, .label = {1.0, 2.5}, .original = {7, 3}};
}

/// Two nodes between two terminals, and one of known side.
contents graph_of_nodes() {
  return {.kind = input_format::graph,
          .rows = {{{0, 1.0f}, {2, 2.0f}}, {{0, 1.0f}, {1, 1.0f}}, {{1, 0.0f}, {3, 1.0f}}, {{1, 1.0f}}},
          .label = {no_side, no_side, no_side, 1.0},
          .original = {node_column(0), node_column(1), terminal_column(0), terminal_column(1)}};
}

contents some_ratings() {
  return {.kind = input_format::ratings,
          .rows = {{{0, 1.0f}, {2, 1.0f}}, {{1, 1.0f}, {2, 1.0f}}},
          .label = {4.0, 5.0},
          .original = {user_column(1), user_column(2), item_column(1)}};
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(cache_meaning, of_sound_contents_of_any_kind_holds) {
  for (const contents& c : {plain_rows(), graph_of_nodes(), some_ratings()}) {
    EXPECT_EQ(fault_of(c), sound);
    sealed(c).verify();
  }
}

TEST(cache_meaning, of_rows_is_finite_values_and_labels) {
  for (const float x : {std::nanf(""), std::numeric_limits<float>::infinity()})
    EXPECT_THAT(fault_of(plain_rows(), [&](contents& c) { c.rows[1][0].second = x; }), HasSubstr("rows from 1 on"));
  for (const double x : {not_a_number, infinite, -infinite})
    EXPECT_THAT(fault_of(plain_rows(), [&](contents& c) { c.label[1] = x; }), HasSubstr("damaged in its labels"));
  // Rows of a program are its own responsibility.
  EXPECT_EQ(fault_of(plain_rows(), [](contents& c) { c.kind = input_format::of_program, c.label[1] = not_a_number; }),
            sound);
}

TEST(cache_meaning, of_columns_is_below_their_number) {
  EXPECT_THAT(fault_of(plain_rows(), [](contents& c) { c.rows[0][1].first = 2; }), HasSubstr("rows from 1 on"));
}

TEST(cache_meaning, of_a_table_of_labels_is_ascending_numbers) {
  contents coded = plain_rows();
  coded.label = {0, 1}, coded.table = {-1.0, 1.0};
  EXPECT_EQ(fault_of(coded), sound);
  EXPECT_EQ(fault_of(coded, [](contents& c) { c.table = {-0.0, 0.0}; }), sound);
  for (const std::vector<double>& table : {std::vector{1.0, -1.0}, {1.0, 1.0}, {0.0, -0.0}, {1.0, not_a_number}})
    EXPECT_THAT(fault_of(coded, [&](contents& c) { c.table = table; }), HasSubstr("damaged in its labels"));
}

TEST(cache_meaning, of_lists_is_whole_labels) {
  contents listed = plain_rows();
  listed.lists = {{0, 1}, {1}}, listed.table = {3.0, 17.0};
  EXPECT_EQ(fault_of(listed), sound);
  EXPECT_THAT(fault_of(listed, [](contents& c) { c.table = {3.0, 17.5}; }), HasSubstr("damaged in its labels"));
}

TEST(cache_meaning, of_a_graph_is_sides_that_can_be) {
  for (const double side : {-5.0, 0.5, 1e300, -2.0, 2.0, 65536.0, not_a_number})
    EXPECT_THAT(fault_of(graph_of_nodes(), [&](contents& c) { c.label[3] = side; }), HasSubstr("damaged in its labels"))
        << side;
  const std::vector<std::function<void(contents&)>> bad_rows = {
      [](contents& c) { c.label[0] = 1.0; },        // an edge has no side
      [](contents& c) { c.rows[0][1].first = 0; },  // from a node to itself
      [](contents& c) {
        c.rows[0].push_back({3, 1.0f});
      },  // three ends
      [](contents& c) { c.rows[0][0].second = -1.0f; }};
  for (std::size_t k = 0; k < bad_rows.size(); ++k)
    EXPECT_THAT(fault_of(graph_of_nodes(), bad_rows[k]), HasSubstr("rows from 1 on")) << k;
}

TEST(cache_meaning, of_the_columns_of_a_graph_is_nodes_before_terminals) {
  for (const std::vector<std::uint32_t>& original :
       {std::vector{node_column(0), terminal_column(0), node_column(1), terminal_column(1)},
        {node_column(0), node_column(1), terminal_column(0), terminal_column(most_sides)},
        {node_column(0), node_column(1), 0u, terminal_column(1)}})
    EXPECT_THAT(fault_of(graph_of_nodes(), [&](contents& c) { c.original = original; }), HasSubstr("column numbers"));
}

TEST(cache_meaning, of_ratings_is_a_user_and_then_an_item) {
  EXPECT_THAT(fault_of(some_ratings(), [](contents& c) { c.original = {1, 4, 3}; }), HasSubstr("column numbers"));
  EXPECT_THAT(fault_of(some_ratings(), [](contents& c) { std::swap(c.rows[0][0], c.rows[0][1]); }),
              HasSubstr("rows from 1 on"));
  EXPECT_THAT(fault_of(some_ratings(), [](contents& c) { c.rows[0][1].first = 1; }), HasSubstr("rows from 1 on"));
  EXPECT_THAT(fault_of(some_ratings(), [](contents& c) { c.label[0] = 1e39; }), HasSubstr("labels"));
  // Read through the columns of a saved model, users and items are mixed; some are not known.
  EXPECT_EQ(fault_of(some_ratings(),
                     [](contents& c) {
                       c.numbered = true, c.original = {1, 4, 3};
                       c.rows = {{{0, 1.0f}, {1, 1.0f}}, {{1, 1.0f}}};
                     }),
            sound);
}

TEST(cache_meaning, of_pairs_is_ratings_above_0) {
  contents pairs = some_ratings();
  pairs.kind = input_format::pairs;
  EXPECT_EQ(fault_of(pairs), sound);
  EXPECT_THAT(fault_of(pairs, [](contents& c) { std::swap(c.rows[0][0], c.rows[0][1]); }), HasSubstr("rows from 1 on"));
  for (const double weight : {0.0, -1.0, 1e-60, 1e39, not_a_number})
    EXPECT_THAT(fault_of(pairs, [&](contents& c) { c.label[0] = weight; }), HasSubstr("labels")) << weight;
}

TEST(cache_meaning, of_triples_is_a_relation_between_entities) {
  const contents triples{.kind = input_format::triples,
                         .rows = {{{0, 1.0f}, {2, 1.0f}, {0, 1.0f}}, {{1, 1.0f}, {2, 1.0f}, {0, 1.0f}}, {{2, 1.0f}}},
                         .label = {0.0, 0.0, 0.0},
                         .original = {user_column(0), user_column(1), item_column(0)},
                         .degree = {4, 1, 3}};
  EXPECT_EQ(fault_of(triples), sound);
  EXPECT_THAT(fault_of(triples, [](contents& c) { c.label[0] = 1.0; }), HasSubstr("labels"));
  for (const auto& row : std::vector<std::vector<std::pair<std::uint32_t, float>>>{
           {{2, 1.0f}, {0, 1.0f}, {1, 1.0f}}, {{0, 1.0f}, {1, 1.0f}, {0, 1.0f}}, {{0, 1.0f}, {2, 1.0f}, {2, 1.0f}}})
    EXPECT_THAT(fault_of(triples, [&](contents& c) { c.rows[1] = row; }), HasSubstr("rows from 1 on"));
}

TEST(cache_meaning, of_the_columns_of_ffm_is_a_field) {
  contents fields = plain_rows();
  fields.kind = input_format::libffm;
  EXPECT_EQ(fault_of(fields,
                     [](contents& c) {
                       c.original = {1, field_column(largest_field, largest_field_index)};
                     }),
            sound);
  for (const std::uint32_t column : {0u, (largest_field + 1) << field_index_bits | 1u})
    EXPECT_THAT(fault_of(fields, [&](contents& c) { c.original = {1, column}; }), HasSubstr("column numbers"));
}

TEST(cache_meaning, of_images_is_bytes_and_their_labels) {
  const contents image{.kind = input_format::idx,
                       .rows = {{{0, 255.0f}}, {{1, 1.0f}}},
                       .label = {0, 255},
                       .original = {1, 2},
                       .image = {1, 2, 2}};
  EXPECT_EQ(fault_of(image), sound);
  for (const float byte : {256.0f, -1.0f, 0.5f})
    EXPECT_THAT(fault_of(image, [&](contents& c) { c.rows[0][0].second = byte; }), HasSubstr("rows from 1 on"));
  for (const double label : {256.0, -1.0, 0.5})
    EXPECT_THAT(fault_of(image, [&](contents& c) { c.label[1] = label; }), HasSubstr("labels"));
  EXPECT_THAT(fault_of(image, [](contents& c) { c.kind = input_format::cifar; }), HasSubstr("labels"));
}

TEST(cache_meaning, of_column_counts_is_at_most_the_rows) {
  EXPECT_THAT(fault_of(plain_rows(), [](contents& c) { c.degree = {1, 3}; }), HasSubstr("column counts"));
  EXPECT_EQ(fault_of(plain_rows(), [](contents& c) { c.degree = {2, 2}; }), sound);
}

// 'inspect --verify' finds the faults that take more than a look at each number.
TEST(cache_meaning, of_columns_and_counts_is_verified) {
  const auto verify = [](const std::function<void(contents&)>& change) {
    contents c = plain_rows();
    change(c);
    return test::message_of<cache_error>([&] { sealed(c).verify(); });
  };
  EXPECT_THAT(verify([](contents& c) { c.degree = {2, 2}; }), HasSubstr("column counts"));
  EXPECT_THAT(verify([](contents& c) { c.original = {7, 7}; }), HasSubstr("two are the same"));
}

}  // namespace
}  // namespace hogwild::detail
