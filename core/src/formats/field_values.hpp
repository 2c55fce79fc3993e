// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hogwild::detail {

/// A value in a field of a table, and its weight there.
struct field_value {
  std::string_view text{};
  std::uint64_t hash = 0;  ///< of the text
  float weight = 1.0f;
};

std::uint64_t hash_of(std::string_view text);

/// Unites equal values: their weights become their counts. The order that results depends on the values alone.
void count_values(std::vector<field_value>& values);

/// Cuts fields of several values, as formats/tables.hpp says. Used by one thread; results are valid until its next
/// call.
class field_cutter {
 public:
  /// The different items between separators, without the blanks around them.
  std::span<const field_value> list(std::string_view field, char separator);
  /// The different words, and runs of up to `ngrams` words with one blank between them.
  std::span<const field_value> text(std::string_view field, unsigned ngrams);

 private:
  /// The values, with weights whose squares add up to 1.
  std::span<const field_value> scaled();

  std::vector<field_value> values_{};
  std::string words_{};                                        ///< of the text, with one blank between them
  std::vector<std::pair<std::size_t, std::size_t>> places_{};  ///< of each word in words_: begin and end
};

/// The categories of a date. Their numbers and names are those of a column's values.
struct date_categories {
  std::uint32_t year, month, weekday;
  std::optional<std::uint32_t> hour;
};
/// Nothing if the text is no date.
std::optional<date_categories> read_date(std::string_view text);
/// "year:2026", "month:11", "weekday:mon", "hour:7"; empty if the number stands for nothing.
std::string date_category_name(std::uint32_t number);
/// One more than the largest number of a category.
inline constexpr std::uint32_t date_categories_end = 64 + 10000;

}  // namespace hogwild::detail
