// SPDX-License-Identifier: Apache-2.0
#include "formats/table_findings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "formats/table_schema.hpp"

namespace hogwild::detail {

std::uint32_t recent_values::number_of(const field_value& value, name_numbers& all) {
  if (recent_.empty()) recent_.resize(slots);
  auto& [name, number] = recent_[value.hash % slots];
  if (number == name_numbers::dropped || name != value.text) {
    number = all.number_of(value.text, value.hash);
    name = value.text;
  }
  return number;
}

void number_sizes::add(const number_sizes& others) {
  for (std::size_t e = 0; e < count_.size(); ++e) count_[e] += others.count_[e];
}

float number_sizes::typical() const {
  // A size between 2^e and 2^(e+1) counts as 1.5 2^e; exponent 0 has zeros, and what is smaller than all normal
  // numbers.
  constexpr int bias = 127;
  double squares = 0.0, numbers = 0.0;
  for (std::size_t e = 1; e < count_.size() - 1; ++e) {
    squares += static_cast<double>(count_[e]) * std::ldexp(2.25, 2 * (static_cast<int>(e) - bias));
    numbers += static_cast<double>(count_[e]);
  }
  return numbers == 0.0 ? 1.0f : std::ldexp(1.0f, std::clamp(std::ilogb(std::sqrt(squares / numbers)), -126, 126));
}

std::string too_long(std::string_view text, const char* what) {
  return std::string(what) + " has " + std::to_string(text.size()) + " bytes; at most " +
         std::to_string(longest_value) + " have a name";
}

value_numbers::value_numbers(const table_schema& schema, bool learns, table_findings& found)
    : schema_(schema), learns_(learns), found_(found) {
  std::vector<recent_values>& recent = found.recent.local();
  recent.resize(schema.columns.size());
  recent_ = recent;
  if (!found.counts_rows) return;
  std::vector<table_findings::value_counts>& counts = found.rows_with.local();
  counts.resize(schema.columns.size());
  rows_with_ = counts;
}

void value_numbers::announce(std::size_t column, const field_value& value) const {
  if (schema_.hash_bits == 0) found_.values[column]->announce(value.hash);
}

std::uint32_t value_numbers::operator()(std::size_t column, const field_value& value) {
  if (schema_.hash_bits > 0) return static_cast<std::uint32_t>(value.hash) & ((1u << schema_.hash_bits) - 1);
  name_numbers& names = *found_.values[column];
  const auto known =
      learns_ ? std::optional(recent_[column].number_of(value, names)) : names.find(value.text, value.hash);
  if (!known) return schema_.min_rows > 1 ? rare_value : (1u << schema_.value_bits) - 1;
  if (!rows_with_.empty()) {
    table_findings::value_counts& counts = rows_with_[column];
    if (*known >= counts.size()) counts.resize(std::max<std::size_t>(*known + std::size_t{1}, 2 * counts.size()));
    ++counts[*known];
  }
  return *known + 1;
}

}  // namespace hogwild::detail
