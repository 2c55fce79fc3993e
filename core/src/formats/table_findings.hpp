// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/tables.hpp>

#include "formats/field_values.hpp"
#include "formats/name_numbers.hpp"

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
  std::uint32_t number_of(const field_value& value, name_numbers& all);

 private:
  static constexpr std::size_t slots = 512;
  struct numbered {
    std::string name{};
    std::uint32_t number = name_numbers::dropped;
  };
  std::vector<numbered> recent_{};
};

/// The findings of all threads that parse a table: the names of values and labels that have numbers (null where there
/// are none), and the sizes of numbers.
struct table_findings {
  std::vector<std::unique_ptr<name_numbers>> values{};  ///< for each column of the schema; value number - 1
  std::unique_ptr<name_numbers> labels{};
  std::vector<number_sizes> sizes{};  ///< for each column of the schema; empty: they are not counted
  bool counts_rows = false;           ///< of values
  std::mutex adding{};                ///< to sizes
  /// Of each thread, for each column of the schema.
  tbb::enumerable_thread_specific<std::vector<recent_values>> recent{};
  /// The rows that have a value, as far as the thread met them, by the value's number.
  using value_counts = std::vector<std::uint32_t>;
  /// Likewise; empty unless counts_rows.
  tbb::enumerable_thread_specific<std::vector<value_counts>> rows_with{};
};

/// Bytes of a value or label that has a name: with the name of its column, escaped, it is the name of a model's column.
inline constexpr std::size_t longest_value = 16'000;
/// A message about a longer one.
std::string too_long(std::string_view text, const char* what);

/// Gives values their numbers among those of their columns, while one thread parses one block.
class value_numbers {
 public:
  /// `learns`: as table_parser(). All outlive this.
  value_numbers(const table_schema& schema, bool learns, table_findings& found);

  /// Fetches what the number of a value is found by; to be called some values ahead.
  void announce(std::size_t column, const field_value& value) const;
  std::uint32_t operator()(std::size_t column, const field_value& value);

 private:
  const table_schema& schema_;
  bool learns_;
  table_findings& found_;
  std::span<recent_values> recent_{};
  std::span<table_findings::value_counts> rows_with_{};
};

}  // namespace hogwild::detail
