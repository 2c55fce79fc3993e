// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/half_parameters.hpp>

#include <algorithm>
#include <array>

#include <hogwild/detail/kernels/half_kernels.hpp>
#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild {
namespace {

constexpr std::size_t at_once = 256;  ///< floats that fit into the nearest cache
constexpr std::size_t line = 16;

}  // namespace

void half_exchange::fetch(std::span<float> shared, std::span<half> work, std::span<half> base) const {
  std::array<float, at_once> now;
  for (std::size_t first = 0; first < work.size(); first += at_once) {
    const std::size_t n = std::min(at_once, work.size() - first);
    param_view<float>(shared).load_block(first, std::span(now).first(n));
    half_kernels_of(isa_).round(now.data(), n, work.data() + first);
    std::ranges::copy(work.subspan(first, n), base.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void half_exchange::meet(std::span<float> shared, std::span<half> work, std::span<half> base, float gain_weight,
                         bool last) const {
  std::array<float, at_once> gain;
  for (std::size_t first = 0; first < work.size(); first += at_once) {
    const std::size_t n = std::min(at_once, work.size() - first);
    const std::span<half> own = work.subspan(first, n), before = base.subspan(first, n);
    half_kernels_of(isa_).gains(own.data(), before.data(), n, gain.data());
    for (std::size_t i = 0; i < n; i += line) {
      const std::span<const float> gained = std::span(gain).subspan(i, std::min(line, n - i));
      if (std::ranges::any_of(gained, [](float g) { return g != 0.0f; }))
        param_view<float>(shared).add_scaled_block(first + i, gained, gain_weight);
    }
    if (!last) fetch(shared.subspan(first, n), own, before);
  }
}

}  // namespace hogwild
