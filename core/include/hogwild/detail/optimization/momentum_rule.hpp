// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/optimization/block_rule.hpp>

namespace hogwild {

/// The difference between x * by and x, where a product below 1e-30 becomes 0.
template <class T>
T faded(T x, T by) {
  const T left = x * by;
  return (std::abs(left) < T(1e-30) ? T(0) : left) - x;
}

/// v = mu v + g;   w -= size * v   (as in PyTorch)
struct momentum_rule {
  static constexpr optimizer_kind kind = optimizer_kind::momentum;

  template <class View, class T>
  static void block(const rule_arrays<View>& a, std::size_t offset, std::span<const T> run, T size) {
    const T mu = static_cast<T>(a.constants.momentum);
    a.in_pieces(offset, run, [&](std::size_t at, std::span<const T> g) {
      typename rule_arrays<View>::room v, gain;
      const std::size_t n = g.size();
      a.state[0].load_block(at, std::span(v).first(n));
      for (std::size_t i = 0; i < n; ++i) {
        gain[i] = mu * v[i] + g[i] - v[i];
        v[i] += gain[i];
      }
      a.state[0].add_block(at, std::span(gain).first(n));
      a.w.add_scaled_block(at, std::span(v).first(n), -size);
    });
  }

  /// Exact if `size` is the same in all of the steps.
  template <class View, class T>
  static void settle(const rule_arrays<View>& a, std::size_t offset, std::size_t n, std::size_t steps, T size) {
    const T mu = static_cast<T>(a.constants.momentum), left = std::pow(mu, static_cast<T>(steps));
    const T way = size * mu * (1 - left) / (1 - mu);
    typename rule_arrays<View>::room v, gain;
    for (std::size_t i = 0; i < n; i += a.piece) {
      const std::size_t at = offset + i, some = std::min(a.piece, n - i);
      const auto values = std::span(v).first(some);
      a.state[0].load_block(at, values);
      if (std::ranges::all_of(values, [](T x) { return x == T(0); })) continue;
      for (std::size_t k = 0; k < some; ++k) gain[k] = faded(v[k], left);
      a.state[0].add_block(at, std::span(gain).first(some));
      a.w.add_scaled_block(at, values, -way);
    }
  }
};

}  // namespace hogwild
