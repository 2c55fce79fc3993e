// SPDX-License-Identifier: Apache-2.0
#include "data/stated_numbers.hpp"

#include <cstring>
#include <utility>

namespace hogwild::detail {
namespace {

/// Calls f(array, the number of a row without one) for each of the arrays.
template <class Numbers, class F>
void for_each_array(Numbers& numbers, const F& f) {
  f(numbers.weight, 1.0f);
  f(numbers.offset, 0.0f);
}

std::size_t words_of(std::size_t rows) {
  return (rows + 1) / 2;
}

}  // namespace

void stated_numbers::append(const stated_numbers& others, std::size_t before, std::size_t rows) {
  const auto append_to = [&](std::vector<float>& to, const std::vector<float>& from, float otherwise) {
    if (from.empty() && to.empty()) return;
    to.resize(before, otherwise);
    to.insert(to.end(), from.begin(), from.end());
    to.resize(before + rows, otherwise);
  };
  append_to(weight, others.weight, 1.0f);
  append_to(offset, others.offset, 0.0f);
}

std::vector<std::uint64_t> stated_numbers::encode() const {
  if (!any()) return {};
  std::vector<std::uint64_t> words{0};
  std::uint64_t bit = 1;
  for_each_array(*this, [&](const auto& numbers, auto) {
    if (!numbers.empty()) {
      const std::size_t begin = words.size();
      words.front() |= bit;
      words.resize(begin + words_of(numbers.size()));
      std::memcpy(words.data() + begin, numbers.data(), 4 * numbers.size());
    }
    bit <<= 1;
  });
  return words;
}

std::optional<stated_numbers> stated_numbers::decode(std::span<const std::uint64_t>& words, std::size_t rows) {
  if (words.empty() || words.front() == 0 || words.front() > 3) return std::nullopt;
  const std::uint64_t present = words.front();
  words = words.subspan(1);
  stated_numbers found;
  std::uint64_t bit = 1;
  bool whole = true;
  for_each_array(found, [&](auto& numbers, auto) {
    if ((present & bit) != 0) {
      whole = whole && words.size() >= words_of(rows);
      if (!whole) return;
      numbers.resize(rows);
      std::memcpy(numbers.data(), words.data(), 4 * rows);
      words = words.subspan(words_of(rows));
    }
    bit <<= 1;
  });
  return whole ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace hogwild::detail
