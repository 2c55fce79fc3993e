// SPDX-License-Identifier: Apache-2.0
#include "data/narrowing.hpp"

#include <algorithm>
#include <compare>

#include <hogwild/detail/data/half.hpp>

namespace hogwild::detail {

void label_codes::add(const label_codes& other) {
  for (const double label : other.labels_) add(label);
}

void label_codes::number() {
  if (!fits()) return;
  std::ranges::sort(labels_, [](double a, double b) { return std::is_lt(std::strong_order(a, b)); });
  for (std::size_t code = 0; code < labels_.size(); ++code)
    slots_[find(std::bit_cast<std::uint64_t>(labels_[code]))].code = static_cast<std::uint8_t>(code);
}

bool are_halves(std::span<const float> values) {
  return std::ranges::all_of(values, [](float x) { return to_float(to_half(x)) == x; });
}

std::size_t first_beyond_half(std::span<const float> values) {
  constexpr std::uint32_t without_sign = 0x7fffffffu;
  constexpr auto largest = std::bit_cast<std::uint32_t>(65504.0f);
  std::uint32_t most = 0;  // larger positive floats have larger bits
  for (const float x : values) most = std::max(most, std::bit_cast<std::uint32_t>(x) & without_sign);
  if (most <= largest) return values.size();
  const auto found =
      std::ranges::find_if(values, [&](float x) { return (std::bit_cast<std::uint32_t>(x) & without_sign) > largest; });
  return static_cast<std::size_t>(found - values.begin());
}

void narrow_indices(cache_header& header) {
  header.index_bytes = header.columns <= most_narrow_columns ? 2 : 4;
}

}  // namespace hogwild::detail
