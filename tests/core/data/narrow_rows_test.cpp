// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

#include "data/cache_format.hpp"
#include "support/refusals.hpp"
#include "support/scratch_folder.hpp"

// A dataset stores rows as narrow as it can, and gives them back unchanged.

namespace hogwild {
namespace {

using test::scratch_folder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text_of(const sparse_dataset& data) {
  data.verify();
  std::ostringstream out;
  write_libsvm(out, data.view(), data.numbering().original());
  return out.str();
}

/// Opened in the order of the text: through a numbering of all `columns`.
sparse_dataset open_in_order(const std::string& path, std::uint32_t columns, value_precision values = {}) {
  std::vector<std::uint32_t> original(columns);
  for (std::uint32_t j = 0; j < columns; ++j) original[j] = j + 1;
  const column_numbering numbering(original);
  return open_libsvm(path,
                     {.cache = open_options::cache_use::none, .numbering = &numbering, .values = values, .threads = 1});
}

struct narrow_rows : testing::Test {
  const scratch_folder folder;
};

TEST_F(narrow_rows, hold_65536_columns_in_16_bits_and_65537_in_32) {
  for (const std::uint32_t columns : {65'536u, 65'537u}) {
    std::string text = "1 1:1\n";
    for (std::uint32_t j = 1; j <= columns; j += 64) text += "-1 " + std::to_string(j) + ":0.1\n";
    text += "1 " + std::to_string(columns) + ":2\n";
    const sparse_dataset data = open_in_order(folder.write("t", text), columns);
    EXPECT_EQ(data.view().has_narrow_index(), columns == 65'536);
    EXPECT_TRUE(data.view().index.empty() != data.view().index16.empty());
    EXPECT_EQ(text_of(data), text);
    row_cursor cursor(data.view());
    EXPECT_EQ(cursor.row(data.rows() - 1).index[0], columns - 1);
    const sparse_dataset copy = sparse_dataset::copy_of(data.view());
    EXPECT_EQ(copy.view().has_narrow_index(), columns == 65'536);
    std::ostringstream again;
    write_libsvm(again, copy.view());
    EXPECT_EQ(again.str(), text);
  }
}

TEST_F(narrow_rows, columns_count_their_rows_beyond_16_bits) {
  for (const std::uint32_t rows : {65'535u, 65'536u}) {
    std::string text;
    for (std::uint32_t row = 0; row < rows; ++row) text += row == 7 ? "1 70000:1 70001:1\n" : "1 70001:1\n";
    const sparse_dataset data = open_libsvm(folder.write("t", text), {.cache = open_options::cache_use::none});
    data.verify();
    EXPECT_THAT(data.view().degree, ElementsAre(rows, 1));
    EXPECT_EQ(data.original(0), 70'001u);
    EXPECT_THAT(sparse_dataset::copy_of(data.view()).view().degree, ElementsAre(rows, 1));
    EXPECT_EQ(sparse_dataset::map(data.shared_path()).numbering().position(70'000), 1u);
  }
}

TEST_F(narrow_rows, labels_are_coded_while_there_are_at_most_256) {
  for (const std::size_t different : {1u, 2u, 256u, 257u}) {
    std::string text;
    for (std::size_t row = 0; row < 600; ++row)
      text += std::to_string(row % different) + (row % 3 == 0 ? ".5 1:1\n" : ".5\n");
    const sparse_dataset data = open_in_order(folder.write("t", text), 1);
    EXPECT_EQ(data.view().label.coded(), different <= 256);
    EXPECT_EQ(data.view().label.table().size(), different <= 256 ? different : 0);
    EXPECT_EQ(text_of(data), text);
    const sparse_dataset part = sparse_dataset::copy_of(data.view().slice(100, 200));
    EXPECT_EQ(part.view().label.table().size(), std::min<std::size_t>(different, 100));
    for (std::size_t r = 0; r < 100; ++r) ASSERT_EQ(part.view().label[r], data.view().label[100 + r]);
  }
}

TEST_F(narrow_rows, values_that_are_halves_are_kept_as_halves) {
  const std::string halves = "1 1:0.5 2:-65504\n0 3:2048\n", others = "1 1:0.5 2:-65504\n0 3:2049\n";
  const sparse_dataset narrow = open_in_order(folder.write("halves", halves), 3);
  EXPECT_TRUE(narrow.view().has_narrow_value());
  EXPECT_FALSE(narrow.values_rounded());
  EXPECT_EQ(text_of(narrow), halves);
  const sparse_dataset wide = open_in_order(folder.write("others", others), 3);
  EXPECT_FALSE(wide.view().has_narrow_value());
  EXPECT_EQ(text_of(wide), others);
  EXPECT_TRUE(sparse_dataset::copy_of(wide.view().slice(0, 1)).view().has_narrow_value());
}

TEST_F(narrow_rows, half_precision_rounds_each_value_to_the_nearest) {
  const counter_random random(5, 0);
  std::string text;
  std::vector<float> values;
  for (std::uint64_t n = 0; n < 500; ++n) {
    values.push_back(static_cast<float>(std::exp(24.0 * random.uniform(n) - 14.0)));
    std::ostringstream number;
    number.precision(9);
    number << values.back();
    text += "1 " + std::to_string(1 + n % 9) + ":" + number.str() + "\n";
  }
  const sparse_dataset data = open_in_order(folder.write("t", text), 9, value_precision::half);
  ASSERT_TRUE(data.view().has_narrow_value());
  EXPECT_TRUE(data.values_rounded());
  data.verify();
  row_cursor cursor(data.view());
  for (std::size_t r = 0; r < values.size(); ++r) {
    const float kept = cursor.row(r).value[0];
    ASSERT_EQ(kept, to_float(to_half(values[r])));
    ASSERT_NEAR(kept, values[r], values[r] * 0x1p-11f + 0x1p-25f);
  }
  // A copy keeps rounded values as they are.
  EXPECT_TRUE(sparse_dataset::copy_of(data.view()).view().has_narrow_value());
}

TEST_F(narrow_rows, a_value_beyond_half_precision_is_named_with_its_row) {
  const std::string text = "1 1:0.1\n# no row\n1 1:65504\n1 1:1 3:65504.5 4:1e9\n1 1:1e30\n";
  const std::string path = folder.write("t", text);
  EXPECT_THAT(test::message_of<input_error>([&] { open_libsvm(path, {.values = value_precision::half}); }),
              AllOf(HasSubstr(path + ": row 3 has the value 65504.5, but half precision ends at 65504"),
                    HasSubstr("keep values in float")));
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_FALSE(open_in_order(path, 4).view().has_narrow_value());
}

TEST_F(narrow_rows, take_as_many_bytes_as_their_widths_say) {
  const counter_random random(7, 0);
  std::string text;
  std::size_t entries = 0;
  for (std::uint64_t row = 0; row < 3000; ++row) {
    text += row % 2 == 0 ? "1" : "-1";
    for (std::uint64_t k = 0; k < 40; ++k, ++entries)
      text += " " + std::to_string(1 + 50 * k + random.below(entries, 50)) + ":0.12345";
    text += "\n";
  }
  const std::string path = folder.write("t", text);
  for (const value_precision values : {value_precision::single, value_precision::half}) {
    const sparse_dataset data = open_libsvm(path, {.values = values});
    const std::size_t an_entry = values == value_precision::half ? 4 : 6;
    const std::size_t blocks = 3000 / (16384 * 3000 / entries) + 1;
    // All rows are equally long; labels take a bit, and five columns have a number and a count of at most 12 bits each.
    const std::size_t at_least = an_entry * entries + 3000 / 8 + 8 * blocks + 2 * 8;
    const std::size_t bytes = std::filesystem::file_size(data.shared_path());
    EXPECT_GE(bytes, at_least);
    EXPECT_LE(bytes, at_least + 3 * data.features() + 8 * 64 + sizeof(detail::cache_header));
  }
}

TEST_F(narrow_rows, columns_beyond_their_count_are_damage) {
  const sparse_dataset good = sparse_dataset::copy_of(parse_libsvm("1 1:1 3:2\n2 2:4\n1 2:5 3:7\n").view());
  const std::string sound = test::read_text(good.shared_path());
  const auto refused = [&](std::uint16_t first_column) {
    std::string bytes = sound;
    detail::cache_arrays arrays(std::as_bytes(std::span(bytes)));
    arrays.row_start = good.view().row_start;
    detail::cache_arrays::writable(arrays.index16)[0] = first_column;
    detail::cache_arrays::writable(arrays.block_checksum)[0] = detail::block_sum(arrays, 0, arrays.header.nonzeros);
    const sparse_dataset data = sparse_dataset::map(folder.write("changed", bytes));
    return test::message_of<cache_error>([&] { data.view().ensure(0, data.rows()); }) != "accepted";
  };
  EXPECT_FALSE(refused(2));
  EXPECT_TRUE(refused(3));
}

TEST_F(narrow_rows, impossible_widths_are_refused) {
  const sparse_dataset good = sparse_dataset::copy_of(parse_libsvm("1 1:1 3:2\n2 2:4\n").view());
  const std::string sound = test::read_text(good.shared_path());
  const auto fault_with = [&](const std::function<void(detail::cache_header&)>& change) {
    std::string bytes = sound;
    detail::cache_header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    change(header);
    header.checksum = detail::header_checksum(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return detail::header_fault(std::as_bytes(std::span(bytes)));
  };
  EXPECT_EQ(fault_with([](auto&) {}), "");
  EXPECT_EQ(fault_with([](auto& h) { h.value_bytes = 3; }), "has impossible widths");
  EXPECT_EQ(fault_with([](auto& h) { h.index_bytes = 0; }), "has impossible widths");
  EXPECT_EQ(fault_with([](auto& h) { h.label_values = 257; }), "has impossible widths");
  EXPECT_EQ(fault_with([](auto& h) { h.index_bytes = 4; }), "has a damaged section table");
  EXPECT_EQ(fault_with([](auto& h) { h.label_values = 0; }), "has a damaged section table");
}

}  // namespace
}  // namespace hogwild
