// SPDX-License-Identifier: Apache-2.0
#include "formats/field_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include <hogwild/detail/platform/checksum.hpp>

namespace hogwild::detail {
namespace {

constexpr std::uint32_t first_month = 2, first_weekday = first_month + 12, first_hour = first_weekday + 7,
                        first_year = 64;
constexpr std::array<std::string_view, 7> weekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr std::string_view decimal_digits = "0123456789";

bool is_all_digits(std::string_view text) {
  return text.find_first_not_of(decimal_digits) == text.npos;
}

/// Letters, digits and parts of characters beyond ASCII.
bool is_of_word(unsigned char c) {
  return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Takes a whole number of `digits` digits from the beginning of a text.
bool take_digits(std::string_view& text, std::size_t digits, unsigned& number) {
  if (text.size() < digits || !is_all_digits(text.substr(0, digits))) return false;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// "Z", "+01", "+01:00", "-0130", with or without a blank before it, or nothing.
bool is_zone(std::string_view text) {
  take(text, ' ');
  if (text.empty() || text == "Z" || text == "UTC") return true;
  unsigned number = 0;
  if ((!take(text, '+') && !take(text, '-')) || !take_digits(text, 2, number)) return false;
  take(text, ':');
  return text.empty() || (take_digits(text, 2, number) && text.empty());
}

/// The hour of a time "13:45", "13:45:59", "13:45:59.25", with or without a zone.
std::optional<unsigned> hour_of(std::string_view text) {
  unsigned hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 2, hour) || hour > 23) return std::nullopt;
  if (!take(text, ':') || !take_digits(text, 2, minute) || minute > 59) return std::nullopt;
  if (take(text, ':')) {
    if (!take_digits(text, 2, second) || second > 60) return std::nullopt;
    if (take(text, '.') || take(text, ','))
      text.remove_prefix(std::min(text.find_first_not_of(decimal_digits), text.size()));
  }
  if (!is_zone(text)) return std::nullopt;
  return hour;
}

date_categories categories_of(std::chrono::year_month_day day, std::optional<unsigned> hour) {
  const std::chrono::weekday weekday{std::chrono::sys_days(day)};
  date_categories found{.year = first_year + static_cast<std::uint32_t>(static_cast<int>(day.year())),
                        .month = first_month + static_cast<unsigned>(day.month()) - 1,
                        .weekday = first_weekday + weekday.c_encoding(),
                        .hour = std::nullopt};
  if (hour) found.hour = first_hour + *hour;
  return found;
}

}  // namespace

std::uint64_t hash_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text)));
}

void count_values(std::vector<field_value>& values) {
  // By hash, so that the order does not depend on how often a value occurs or who met it first.
  std::ranges::sort(values, [](const field_value& a, const field_value& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.text < b.text;
  });
  std::size_t kept = 0;
  for (std::size_t first = 0, last = 0; first < values.size(); first = last) {
    for (last = first + 1; last < values.size() && values[last].text == values[first].text;) ++last;
    values[kept] = values[first];
    values[kept++].weight = static_cast<float>(last - first);
  }
  values.resize(kept);
}

std::span<const field_value> field_cutter::scaled() {
  double squares = 0.0;
  for (const field_value& one : values_) squares += static_cast<double>(one.weight) * one.weight;
  const auto length = static_cast<float>(std::sqrt(squares));
  for (field_value& one : values_) one.weight /= length;
  return values_;
}

std::span<const field_value> field_cutter::list(std::string_view field, char separator) {
  values_.clear();
  while (!field.empty()) {
    std::string_view item = field.substr(0, field.find(separator));
    field.remove_prefix(std::min(field.size(), item.size() + 1));
    item.remove_prefix(std::min(item.size(), item.find_first_not_of(' ')));
    item = item.substr(0, item.find_last_not_of(' ') + 1);
    if (!item.empty()) values_.push_back({item, hash_of(item)});
  }
  count_values(values_);
  for (field_value& one : values_) one.weight = 1.0f;
  return scaled();
}

std::span<const field_value> field_cutter::text(std::string_view field, unsigned ngrams) {
  values_.clear(), words_.clear(), places_.clear();
  for (std::size_t at = 0; at < field.size();) {
    if (!is_of_word(static_cast<unsigned char>(field[at]))) {
      ++at;
      continue;
    }
    if (!words_.empty()) words_ += ' ';
    const std::size_t begin = words_.size();
    for (; at < field.size() && is_of_word(static_cast<unsigned char>(field[at])); ++at)
      words_ += field[at] >= 'A' && field[at] <= 'Z' ? static_cast<char>(field[at] - 'A' + 'a') : field[at];
    places_.emplace_back(begin, words_.size());
  }
  const std::string_view all = words_;
  for (std::size_t w = 0; w < places_.size(); ++w)
    for (std::size_t last = w; last < std::min(places_.size(), w + ngrams); ++last) {
      const std::string_view run = all.substr(places_[w].first, places_[last].second - places_[w].first);
      values_.push_back({run, hash_of(run)});
    }
  count_values(values_);
  return scaled();
}

std::optional<date_categories> read_date(std::string_view text) {
  using namespace std::chrono;
  if (text.size() >= 9 && text.size() <= 11 && is_all_digits(text)) {
    std::int64_t since_1970 = 0;
    std::from_chars(text.data(), text.data() + text.size(), since_1970);
    const sys_seconds at{seconds(since_1970)};
    const sys_days day = floor<days>(at);
    return categories_of(day, static_cast<unsigned>(duration_cast<hours>(at - day).count()));
  }
  unsigned year_number = 0, month_number = 0, day_number = 0;
  if (!take_digits(text, 4, year_number)) return std::nullopt;
  const char by = text.starts_with('-') || text.starts_with('/') ? text.front() : '\0';
  if ((by != '\0' && !take(text, by)) || !take_digits(text, 2, month_number)) return std::nullopt;
  if ((by != '\0' && !take(text, by)) || !take_digits(text, 2, day_number)) return std::nullopt;
  const year_month_day date{year(static_cast<int>(year_number)), month(month_number), day(day_number)};
  if (!date.ok()) return std::nullopt;
  if (text.empty()) return categories_of(date, std::nullopt);
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const std::optional<unsigned> hour = hour_of(text);
  if (!hour) return std::nullopt;
  return categories_of(date, hour);
}

std::string date_category_name(std::uint32_t number) {
  if (number >= date_categories_end) return "";
  if (number >= first_year) return "year:" + std::to_string(number - first_year);
  if (number >= first_hour + 24 || number < first_month) return "";
  if (number >= first_hour) return "hour:" + std::to_string(number - first_hour);
  if (number >= first_weekday) return std::string("weekday:").append(weekdays[number - first_weekday]);
  return "month:" + std::to_string(number - first_month + 1);
}

}  // namespace hogwild::detail
