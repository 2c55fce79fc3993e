// SPDX-License-Identifier: Apache-2.0
#include "data/stated_numbers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hogwild::detail {
namespace {

/// A bit for each part that a cache has.
constexpr std::uint64_t has_weight = 1, has_offset = 2, has_groups = 4, has_time = 8, has_left_out = 16;

/// Appends bytes, with zeros up to a whole word.
void put(std::vector<std::uint64_t>& words, const void* bytes, std::size_t count) {
  const std::size_t begin = words.size();
  words.resize(begin + (count + 7) / 8);
  if (count > 0) std::memcpy(words.data() + begin, bytes, count);
}

/// Takes bytes that put() appended; false if they are not there.
bool take(std::span<const std::uint64_t>& words, void* bytes, std::size_t count) {
  if (words.size() < (count + 7) / 8) return false;
  if (count > 0) std::memcpy(bytes, words.data(), count);
  words = words.subspan((count + 7) / 8);
  return true;
}

}  // namespace

std::uint32_t stated_groups::number_of(std::string_view name) {
  // Rows of a group often follow each other.
  if (!of_row_.empty() && names_[of_row_.back()] == name) return of_row_.back();
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(names_.size());
  numbers_.emplace(name, number);
  names_.emplace_back(name);
  return number;
}

void stated_groups::fill(std::size_t rows) {
  if (of_row_.size() < rows) of_row_.resize(rows, number_of(""));
}

void stated_groups::state(std::size_t row, std::string_view name) {
  fill(row);
  of_row_.push_back(number_of(name));
}

void stated_groups::append(const stated_groups& others, std::size_t before, std::size_t rows) {
  if (!any() && !others.any()) return;
  fill(before);
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : others.names_) numbers.push_back(number_of(name));
  for (const std::uint32_t group : others.of_row_) of_row_.push_back(numbers[group]);
  fill(before + rows);
}

void stated_groups::encode(std::vector<std::uint64_t>& words) const {
  std::vector<std::uint32_t> lengths;
  std::string all;
  for (const std::string& name : names_) {
    lengths.push_back(static_cast<std::uint32_t>(name.size()));
    all += name;
  }
  words.push_back(names_.size());
  put(words, of_row_.data(), 4 * of_row_.size());
  put(words, lengths.data(), 4 * lengths.size());
  put(words, all.data(), all.size());
}

std::optional<stated_groups> stated_groups::decode(std::span<const std::uint64_t>& words, std::size_t rows) {
  stated_groups found;
  std::uint64_t count = 0;
  if (!take(words, &count, sizeof count) || count > rows || words.size() < (4 * rows + 7) / 8) return std::nullopt;
  found.of_row_.resize(rows);
  if (!take(words, found.of_row_.data(), 4 * rows)) return std::nullopt;
  if (std::ranges::any_of(found.of_row_, [&](std::uint32_t group) { return group >= count; })) return std::nullopt;
  std::vector<std::uint32_t> lengths(count);
  if (!take(words, lengths.data(), 4 * lengths.size())) return std::nullopt;
  std::size_t bytes = 0;
  for (const std::uint32_t length : lengths) bytes += length;
  if (bytes > 8 * words.size()) return std::nullopt;
  std::string all(bytes, '\0');
  if (!take(words, all.data(), bytes)) return std::nullopt;
  std::size_t at = 0;
  for (const std::uint32_t length : lengths) {
    found.names_.push_back(all.substr(at, length));
    at += length;
  }
  return found;
}

void stated_numbers::append(const stated_numbers& others, std::size_t before, std::size_t rows) {
  const auto append_to = [&]<class T>(std::vector<T>& to, const std::vector<T>& from, T otherwise) {
    if (from.empty() && to.empty()) return;
    to.resize(before, otherwise);
    to.insert(to.end(), from.begin(), from.end());
    to.resize(before + rows, otherwise);
  };
  append_to(weight, others.weight, 1.0f);
  append_to(offset, others.offset, 0.0f);
  append_to(time, others.time, 0.0);
  groups.append(others.groups, before, rows);
  left_out += others.left_out;
}

std::vector<std::uint64_t> stated_numbers::encode() const {
  if (!any()) return {};
  std::vector<std::uint64_t> words{(weight.empty() ? 0 : has_weight) | (offset.empty() ? 0 : has_offset) |
                                   (groups.any() ? has_groups : 0) | (time.empty() ? 0 : has_time) |
                                   (left_out > 0 ? has_left_out : 0)};
  put(words, weight.data(), 4 * weight.size());
  put(words, offset.data(), 4 * offset.size());
  put(words, time.data(), 8 * time.size());
  if (groups.any()) groups.encode(words);
  if (left_out > 0) words.push_back(left_out);
  return words;
}

std::optional<stated_numbers> stated_numbers::decode(std::span<const std::uint64_t>& words, std::size_t rows) {
  if (words.empty() || words.front() == 0 ||
      words.front() > (has_weight | has_offset | has_groups | has_time | has_left_out))
    return std::nullopt;
  const std::uint64_t present = words.front();
  words = words.subspan(1);
  stated_numbers found;
  for (const auto& [bit, numbers] : {std::pair{has_weight, &found.weight}, {has_offset, &found.offset}}) {
    if ((present & bit) == 0) continue;
    if (words.size() < (4 * rows + 7) / 8) return std::nullopt;
    numbers->resize(rows);
    if (!take(words, numbers->data(), 4 * rows)) return std::nullopt;
  }
  if ((present & has_time) != 0) {
    if (words.size() < rows) return std::nullopt;
    found.time.resize(rows);
    if (!take(words, found.time.data(), 8 * rows)) return std::nullopt;
  }
  if ((present & has_groups) != 0) {
    auto groups = stated_groups::decode(words, rows);
    if (!groups) return std::nullopt;
    found.groups = *std::move(groups);
  }
  if ((present & has_left_out) != 0 && !take(words, &found.left_out, sizeof found.left_out)) return std::nullopt;
  return found;
}

}  // namespace hogwild::detail
