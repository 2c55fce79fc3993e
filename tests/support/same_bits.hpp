// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

namespace hogwild::test {

/// Whether both have the same bits: zeros differ by their sign, and a NaN is equal to itself.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace hogwild::test
