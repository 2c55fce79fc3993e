// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/optimization/momentum_rule.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

namespace hogwild {

/// m = b1 m + (1 - b1) g;   v = b2 v + (1 - b2) g^2;   t += 1
/// w -= size * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)   (Kingma and Ba 2015)
///
/// The steps t of a run are counted at its first parameter: a model should always emit the same runs. A count below
/// one, and a second moment below the bound that the first one implies (least_square_of()), are replaced by these. The
/// bound also matters if another worker is adding a gradient that the first moment already has and the second does not:
/// the step would be arbitrarily long.
struct adam_rule {
  static constexpr optimizer_kind kind = optimizer_kind::adam;

  template <class View, class T>
  static void block(const rule_arrays<View>& a, std::size_t offset, std::span<const T> run, T size) {
    const optimizer_constants& c = a.constants;
    const double b2 = beta2_of(kind, c);
    const double t = std::max(static_cast<double>(a.state[2].read_add(offset, T(1))) + 1.0, 1.0);
    // The divisors of the moments, which begin at zero.
    const T first = static_cast<T>(1 - std::pow(c.beta1, t)), second = static_cast<T>(1 - std::pow(b2, t));
    a.in_pieces(offset, run, [&](std::size_t at, std::span<const T> g) {
      typename rule_arrays<View>::room m, v, m_gain, v_gain, root, delta;
      const std::size_t n = g.size();
      const T keep1 = static_cast<T>(1 - c.beta1), keep2 = static_cast<T>(1 - b2);
      const T epsilon = static_cast<T>(epsilon_of(c)), least_square = static_cast<T>(least_square_of(c));
      a.state[0].load_block(at, std::span(m).first(n));
      a.state[1].load_block(at, std::span(v).first(n));
      for (std::size_t i = 0; i < n; ++i) {
        m_gain[i] = keep1 * (g[i] - m[i]);
        m[i] += m_gain[i];
        const T least = least_square * m[i] * m[i];
        const T raised = v[i] + keep2 * (g[i] * g[i] - v[i]), square = raised < least ? least : raised;
        v_gain[i] = square - v[i];
        root[i] = square / second;
      }
      square_roots(std::span(root).first(n));
      for (std::size_t i = 0; i < n; ++i) delta[i] = -size * (m[i] / first) / (root[i] + epsilon);
      a.state[0].add_block(at, std::span(m_gain).first(n));
      a.state[1].add_block(at, std::span(v_gain).first(n));
      a.w.add_block(at, std::span(delta).first(n));
    });
  }

  /// With c = b1 / sqrt(b2) and the corrections in the middle of the steps,
  ///
  ///   w -= size * (c + c^2 + ... + c^steps) * m' / (sqrt(v') + epsilon);   m *= b1^steps;   v *= b2^steps;
  ///   t += steps
  ///
  /// which is exact except for epsilon and the changes of the corrections meanwhile.
  template <class View, class T>
  static void settle(const rule_arrays<View>& a, std::size_t offset, std::size_t n, std::size_t steps, T size) {
    const T k = static_cast<T>(steps), b1 = static_cast<T>(a.constants.beta1);
    const T b2 = static_cast<T>(beta2_of(kind, a.constants));
    const T t = std::max(a.state[2].read_add(offset, k), T(0)), c = b1 / std::sqrt(b2);
    // The middle of the steps k = 1, 2, ... with the weights c^k, but no step whose weight is negligible.
    const T sum = c < 1 ? c * (1 - std::pow(c, k)) / (1 - c) : k;
    const T middle = t + std::min((k + 1) / 2, c < 1 ? 1 / (1 - c) : k);
    const T first = 1 - std::pow(b1, middle), second = std::sqrt(1 - std::pow(b2, middle));
    const T way = size * sum * second / first, epsilon = static_cast<T>(epsilon_of(a.constants)) * second;
    const T m_left = std::pow(b1, k), v_left = std::pow(b2, k);
    const T least_square = static_cast<T>(least_square_of(a.constants));
    typename rule_arrays<View>::room m, v, delta;
    for (std::size_t i = 0; i < n; i += a.piece) {
      const std::size_t at = offset + i, some = std::min(a.piece, n - i);
      const auto values = std::span(m).first(some);
      a.state[0].load_block(at, values);
      a.state[1].load_block(at, std::span(v).first(some));
      if (std::ranges::all_of(std::span(v).first(some), [](T x) { return x == T(0); })) continue;
      for (std::size_t l = 0; l < some; ++l) {
        const T square = std::max(v[l], least_square * m[l] * m[l]);
        delta[l] = -way * m[l] / (std::sqrt(square) + epsilon);
        m[l] = faded(m[l], m_left), v[l] = square + faded(square, v_left) - v[l];
      }
      a.w.add_block(at, std::span(delta).first(some));
      a.state[0].add_block(at, values);
      a.state[1].add_block(at, std::span(v).first(some));
    }
  }
};

}  // namespace hogwild
