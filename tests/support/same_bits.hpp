// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace hogwild::test {

/// Whether both have the same bits: zeros differ by their sign, and a NaN is equal to itself.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint32_t, float>, std::bit_cast<std::uint32_t, float>);
}

/// The bits of a number; all NaNs have the same.
inline std::uint32_t number_bits(float x) {
  return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x);
}

/// Whether both have the same bits, or a NaN where the other one has any NaN.
inline testing::AssertionResult same_numbers(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " numbers, " << b.size() << " expected";
  if (same_bits(a, b)) return testing::AssertionSuccess();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (number_bits(a[i]) != number_bits(b[i]))
      return testing::AssertionFailure() << "number " << i << " is " << a[i] << ", expected " << b[i];
  return testing::AssertionSuccess();
}

}  // namespace hogwild::test
