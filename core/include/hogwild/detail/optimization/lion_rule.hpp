// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/optimization/momentum_rule.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

namespace hogwild {

/// w -= size * sign(b1 m + (1 - b1) g);   m = b2 m + (1 - b2) g   (Lion: Chen et al. 2023, algorithm 2, without its
/// decay of weights: l2 joins g)
struct lion_rule {
  static constexpr optimizer_kind kind = optimizer_kind::lion;

  template <class View, class T>
  static void block(const rule_arrays<View>& a, std::size_t offset, std::span<const T> run, T size) {
    const double b1 = a.constants.beta1, b2 = beta2_of(kind, a.constants);
    const T of_mean = static_cast<T>(b1), of_new = static_cast<T>(1 - b1), gained = static_cast<T>(1 - b2);
    a.in_pieces(offset, run, [&](std::size_t at, std::span<const T> g) {
      typename rule_arrays<View>::room m, gain, delta;
      const std::size_t n = g.size();
      a.state[0].load_block(at, std::span(m).first(n));
      for (std::size_t i = 0; i < n; ++i) {
        delta[i] = -size * sign(of_mean * m[i] + of_new * g[i]);
        gain[i] = gained * (g[i] - m[i]);
      }
      a.state[0].add_block(at, std::span(gain).first(n));
      a.w.add_block(at, std::span(delta).first(n));
    });
  }

  /// A step for each of the blocks before which m is at least 1e-30. Exact if `size` is the same in all of them.
  template <class View, class T>
  static void settle(const rule_arrays<View>& a, std::size_t offset, std::size_t n, std::size_t steps, T size) {
    // What an add leaves of m is rounded by 2^-24 of m: of a much smaller part nothing would be right.
    const T least = std::log(T(0x1p-12)), by_block = std::log(static_cast<T>(beta2_of(kind, a.constants)));
    const auto most = static_cast<std::size_t>(std::clamp(least / by_block, T(1), T(1 << 20)));
    for (bool any = true; any && steps > 0; steps -= std::min(steps, most))
      any = settle_few(a, offset, n, std::min(steps, most), size);
  }

 private:
  /// The same for so few blocks that a part of m is left, unless it is below 1e-30.
  /// Returns whether there was any m.
  template <class View, class T>
  static bool settle_few(const rule_arrays<View>& a, std::size_t offset, std::size_t n, std::size_t steps, T size) {
    bool any = false;
    const T k = static_cast<T>(steps), b2 = static_cast<T>(beta2_of(kind, a.constants)), left = std::pow(b2, k);
    const T way = a.constants.beta1 > 0 ? size : T(0);
    typename rule_arrays<View>::room m, gain, delta;
    for (std::size_t i = 0; i < n; i += a.piece) {
      const std::size_t at = offset + i, some = std::min(a.piece, n - i);
      const auto values = std::span(m).first(some);
      a.state[0].load_block(at, values);
      if (std::ranges::all_of(values, [](T x) { return x == T(0); })) continue;
      any = true;
      for (std::size_t l = 0; l < some; ++l) {
        gain[l] = faded(m[l], left);
        T moves = k;
        if (m[l] + gain[l] == T(0) && k > 1)
          moves = std::clamp(std::ceil((std::log(T(1e-30)) - std::log(std::abs(m[l]))) / std::log(b2)), T(1), k);
        delta[l] = -way * moves * sign(m[l]);
      }
      a.state[0].add_block(at, std::span(gain).first(some));
      a.w.add_block(at, std::span(delta).first(some));
    }
    return any;
  }

  /// Of a number that is not one: itself.
  template <class T>
  static T sign(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  }
};

}  // namespace hogwild
