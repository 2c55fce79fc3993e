// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/optimization/block_rule.hpp>

namespace hogwild {

/// s += g^2;   w -= size * g / sqrt(s + 1e-8)   (Duchi, Hazan, Singer 2011)
struct adagrad_rule {
  static constexpr optimizer_kind kind = optimizer_kind::adagrad;
  template <class T>
  static constexpr T tiny = T(1e-8);

  template <class View, class T>
  static void block(const rule_arrays<View>& a, std::size_t offset, std::span<const T> g, T size) {
    if (g.size() == 1) return one(a, offset, g.front(), size);
    a.in_pieces(offset, g, [&](std::size_t at, std::span<const T> part) { piece(a, at, part, size); });
  }

  /// For weights and biases, which are updated one at a time: setting up a loop would cost more than the step.
  template <class View, class T>
  static void one(const rule_arrays<View>& a, std::size_t j, T g, T size) {
    const T gain = g * g;
    const T root = std::sqrt(std::max(a.state[0].read_add(j, gain) + gain, T(0)) + tiny<T>);
    a.w.add(j, -size * g / root);
  }

 private:
  template <class View, class T>
  static void piece(const rule_arrays<View>& a, std::size_t offset, std::span<const T> g, T size) {
    typename rule_arrays<View>::room root, gain, delta;
    const std::size_t n = g.size();
    a.state[0].load_block(offset, std::span(root).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      gain[i] = g[i] * g[i];
      // max(sum, 0) + tiny. In another order, or with std::max, compilers would generate a branch and not vectorise.
      const T lifted = root[i] + gain[i] + tiny<T>;
      root[i] = lifted < tiny<T> ? tiny<T> : lifted;
    }
    square_roots(std::span(root).first(n));
    for (std::size_t i = 0; i < n; ++i) delta[i] = -size * g[i] / root[i];
    a.state[0].add_block(offset, std::span(gain).first(n));
    a.w.add_block(offset, std::span(delta).first(n));
  }
};

/// s_0 += mean of g^2;   w -= size * g / sqrt(s_0 + 1e-8), one sum for the run. Zeros that pad a run are included in
/// its mean, because the rule cannot recognise padding. So steps are as long as with a `size` multiplied by the square
/// root of the run's length over its length without padding.
struct row_adagrad_rule {
  static constexpr optimizer_kind kind = optimizer_kind::row_adagrad;

  template <class View, class T>
  static void row(const rule_arrays<View>& a, std::size_t offset, std::size_t state, std::span<const T> g, T size) {
    // Sixteen sums side by side, since each term of a single one would wait for the one before.
    constexpr std::size_t lanes = 16;
    T part[lanes] = {};
    std::size_t k = 0;
    for (; k + lanes <= g.size(); k += lanes)
      for (std::size_t i = 0; i < lanes; ++i) part[i] += g[k + i] * g[k + i];
    for (; k < g.size(); ++k) part[0] += g[k] * g[k];
    T sum = 0;
    for (const T x : part) sum += x;
    const T mean = sum / static_cast<T>(std::max<std::size_t>(g.size(), 1));
    const T raised = a.state[0].read_add(state, mean) + mean;
    a.w.add_scaled_block(offset, g, -size / std::sqrt(std::max(raised, T(0)) + adagrad_rule::tiny<T>));
  }
};

}  // namespace hogwild
