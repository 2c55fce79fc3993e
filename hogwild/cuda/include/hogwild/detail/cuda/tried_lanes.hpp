// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hogwild/detail/cuda/lanes.hpp>
#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild::device {

/// Invented parameters: a number in [-1, 1) for each, the same each time.
class made_up_weights {
 public:
  using value_type = float;
  explicit made_up_weights(std::uint64_t seed) : random_(seed, 0x6c616e65u) {}
  HOGWILD_DEVICE_CODE float load(std::size_t j) const { return static_cast<float>(2.0 * random_.uniform(j) - 1.0); }
  HOGWILD_DEVICE_CODE float operator[](std::size_t j) const { return load(j); }

 private:
  counter_random random_;
};

using emitted = std::vector<std::pair<std::size_t, float>>;

/// Numbers that are not finite, from a loss that overflows, tell nothing.
inline bool is_close(emitted a, emitted b) {
  // Compared by their bits, since NaNs have no order.
  const auto key = [](const auto& x) { return std::pair(x.first, std::bit_cast<std::uint32_t>(x.second)); };
  std::ranges::sort(a, {}, key);
  std::ranges::sort(b, {}, key);
  float largest = 0.0f;
  for (const auto& [j, g] : b) largest = std::max(largest, std::abs(g));
  return std::ranges::equal(a, b, [=](const auto& x, const auto& y) {
    return x.first == y.first && !(std::abs(x.second - y.second) > 1e-3f * largest);
  });
}

/// Whether the lanes of a warp together emit for a row, under invented weights, what the model emits by itself, up to
/// rounding.
template <class M>
bool lanes_agree(const M& model, const sparse_row<float>& z, std::uint64_t seed) {
  const made_up_weights w(seed);
  emitted alone, together;
  model.gradient(w, z, [&](std::size_t j, float g) { alone.emplace_back(j, g); });

  const margin_row<std::uint32_t, float> row{z.index.data(), z.value.data(), static_cast<std::uint32_t>(z.size()),
                                             z.label,        z.weight,       z.offset};
  const host_warp warp;
  lanes<host_warp> at(warp);
  const auto add = [&](std::size_t j, float g) { together.emplace_back(j, g); };
  warp.each([&](unsigned lane) {
    if (at.begin(lane, row.size)) model.gradient(lane_reader(at, w), lane_row(at, row), lane_emit(at, add));
  });
  return !at.misused() && is_close(std::move(together), std::move(alone));
}

}  // namespace hogwild::device
