// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/name_numbers.hpp"
#include "formats/table_fields.hpp"

namespace hogwild::detail {

/// A count of a column's numbers by their binary exponents. It tells their sizes within a factor of two, and does not
/// depend on the order in which they are counted.
class number_sizes {
 public:
  void add(float value) { ++count_[std::bit_cast<std::uint32_t>(value) >> 23 & 255u]; }
  void add(const number_sizes& others);
  /// A power of two near the root of the mean square of all numbers that are not 0; 1 if there are none.
  float typical() const;

 private:
  std::array<std::uint64_t, 256> count_{};
};

/// The values of a column that one thread has met lately: most fields repeat, and the table of all values is far from a
/// core.
class recent_values {
 public:
  std::uint32_t number_of(std::string_view value, name_numbers& all);

 private:
  static constexpr std::size_t slots = 1024;
  std::vector<name_numbers::numbered> recent_{};
};

/// The findings of all threads that parse a table: the names of values and labels that have numbers (null where there
/// are none), and the sizes of numbers.
struct table_findings {
  std::vector<std::unique_ptr<name_numbers>> values{};  ///< for each column of the schema; value number - 1
  std::unique_ptr<name_numbers> labels{};
  std::vector<number_sizes> sizes{};  ///< for each column of the schema; empty: they are not counted
  std::mutex adding{};                ///< to sizes
  /// Of each thread, for each column of the schema.
  tbb::enumerable_thread_specific<std::vector<recent_values>> recent{};
};

/// Parses the records of a table. Any number of threads may parse blocks of it at the same time.
class table_parser {
 public:
  /// For a file with these columns (match_columns()). `learns`: values and labels without a number get provisional
  /// ones; otherwise such values get the number that no column has, and such labels are refused. `found` has names for
  /// the columns and labels that need them, and outlives this, as does `schema`.
  table_parser(const table_schema& schema, std::vector<std::size_t> places, bool learns, table_findings& found);

  /// Room for the entries of a block of text: one for each field of a line, behind which is a separator or the line's
  /// end.
  std::size_t capacity(std::string_view text) const {
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return std::min(places_.size() * lines,
                    lines + static_cast<std::size_t>(std::ranges::count(text, schema_.separator)));
  }
  /// Parses whole records, as row_format::parse.
  void parse(std::string_view text, const block_context& context, row_block& rows) const;

 private:
  struct reading;
  bool read_record(reading& in) const;
  /// Whether a text can be a label of these.
  bool is_label(std::string_view text) const;
  bool read_label(reading& in, const text_field& field) const;
  bool read_number(reading& in, std::size_t column, const text_field& field) const;
  bool read_value(reading& in, std::size_t column, const text_field& field) const;

  const table_schema& schema_;
  std::vector<std::size_t> places_;  ///< for each field of the file
  record_cutter cutter_;
  bool learns_;
  bool has_label_ = false;  ///< in the file
  table_findings& found_;
};

}  // namespace hogwild::detail
