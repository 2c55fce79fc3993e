// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/pairwise_kernels.hpp>
#include <hogwild/detail/math/vector_math.hpp>

#include "kernels/lanes.hpp"

namespace hogwild::detail {

/// The loops of pairwise_kernels. Isa has the vector type `floats`.
template <class Isa>
class pairwise_loops {
  using lanes = lanes_of<Isa, typename Isa::floats>;
  using floats = typename lanes::floats;
  static constexpr std::size_t lane_count = lanes::lane_count;

  /// Rows are prefetched this many pairs ahead.
  static constexpr std::size_t ahead = 12;

  /// The width of rows, known to the compiler unless it is 0.
  template <std::size_t Known>
  static std::size_t width_of(const factor_arrays& to) {
    return Known > 0 ? Known : to.width;
  }

  /// The rows of a pair.
  struct rows {
    float *user, *item, *other;
  };
  static rows rows_of(const factor_arrays& to, std::size_t width, const compared_pair& c) {
    return {to.users + c.user * width, to.items + c.item * width, to.items + c.other * width};
  }
  // Inlined always: gcc 12 drops calls of functions that do nothing but prefetch.
  [[gnu::always_inline]] static void announce(const factor_arrays& to, std::size_t width, const compared_pair& c) {
    const rows r = rows_of(to, width, c);
    for (std::size_t i = 0; i < width && i < 64; i += 16) {
      __builtin_prefetch(r.user + i, 1);
      __builtin_prefetch(r.item + i, 1);
      __builtin_prefetch(r.other + i, 1);
    }
  }

  /// Minus the derivative of the loss with respect to x.
  static float pull_of(const factor_arrays& to, std::size_t width, const compared_pair& c, const rows& r) {
    floats sum{};
    for (std::size_t i = 0; i < width; i += lane_count)
      sum += lanes::loaded(r.user + i) * (lanes::loaded(r.item + i) - lanes::loaded(r.other + i));
    float x = lanes::total(sum);
    if (to.item_bias != nullptr) x += to.item_bias[c.item] - to.item_bias[c.other];
    return c.weight / (1.0f + vector_exp(x));
  }

  template <std::size_t Known>
  static void sgd_of(const factor_arrays& to, const compared_pair& c) {
    const std::size_t width = width_of<Known>(to);
    const rows r = rows_of(to, width, c);
    const float pull = to.step * pull_of(to, width, c, r), keep = 1.0f - to.step * to.l2;
    const floats by = lanes::splat(pull), kept = lanes::splat(keep);
    for (std::size_t i = 0; i < width; i += lane_count) {
      const floats p = lanes::loaded(r.user + i), a = lanes::loaded(r.item + i), b = lanes::loaded(r.other + i);
      lanes::store(r.user + i, by * (a - b) + kept * p);
      lanes::store(r.item + i, by * p + kept * a);
      lanes::store(r.other + i, kept * b - by * p);
    }
    if (to.item_bias == nullptr) return;
    float& item = to.item_bias[c.item];
    float& other = to.item_bias[c.other];
    const float a = keep * item + pull, b = keep * other - pull;
    item = a;
    other = b;
  }

  static float step_of(float& sum, float squares, const factor_arrays& to, const factor_sums& sums) {
    sum += squares;
    return to.step / __builtin_sqrtf(sum + sums.epsilon);
  }
  static void step_one(float& w, float& sum, float g, const factor_arrays& to, const factor_sums& sums) {
    w -= step_of(sum, g * g, to, sums) * g;
  }

  template <std::size_t Known>
  static void row_adagrad_of(const factor_arrays& to, const factor_sums& sums, const compared_pair& c) {
    const std::size_t width = width_of<Known>(to);
    const rows r = rows_of(to, width, c);
    const floats pull = lanes::splat(pull_of(to, width, c, r)), l2 = lanes::splat(to.l2);
    floats user_squares{}, item_squares{}, other_squares{};
    for (std::size_t i = 0; i < width; i += lane_count) {
      const floats p = lanes::loaded(r.user + i), a = lanes::loaded(r.item + i), b = lanes::loaded(r.other + i);
      const floats user = l2 * p - pull * (a - b), item = l2 * a - pull * p, other = l2 * b + pull * p;
      user_squares += user * user;
      item_squares += item * item;
      other_squares += other * other;
    }
    const float count = static_cast<float>(width);
    const floats by_user =
        lanes::splat(step_of(sums.users[c.user * sums.apart], lanes::total(user_squares) / count, to, sums));
    const floats by_item =
        lanes::splat(step_of(sums.items[c.item * sums.apart], lanes::total(item_squares) / count, to, sums));
    const floats by_other =
        lanes::splat(step_of(sums.items[c.other * sums.apart], lanes::total(other_squares) / count, to, sums));
    for (std::size_t i = 0; i < width; i += lane_count) {
      const floats p = lanes::loaded(r.user + i), a = lanes::loaded(r.item + i), b = lanes::loaded(r.other + i);
      lanes::store(r.user + i, p - by_user * (l2 * p - pull * (a - b)));
      lanes::store(r.item + i, a - by_item * (l2 * a - pull * p));
      lanes::store(r.other + i, b - by_other * (l2 * b + pull * p));
    }
    if (to.item_bias == nullptr) return;
    float& item = to.item_bias[c.item];
    float& other = to.item_bias[c.other];
    const float down = to.l2 * item - pull[0], up = to.l2 * other + pull[0];
    step_one(item, sums.item_bias[c.item], down, to, sums);
    step_one(other, sums.item_bias[c.other], up, to, sums);
  }

  /// Calls one.operator()<Width>(to, pair) for all pairs, with the usual widths known to the compiler.
  template <class One>
  static void each(const factor_arrays& given, const compared_pair* pairs, std::size_t count, const One& one) {
    const factor_arrays to = given;  // a copy that no store can change, for the compiler
    const auto run = [&]<std::size_t Known>() {
      for (std::size_t k = 0; k < count; ++k) {
        announce(to, width_of<Known>(to), pairs[k + ahead < count ? k + ahead : k]);
        one.template operator()<Known>(to, pairs[k]);
      }
    };
    switch (to.width) {
      case 16:
        return run.template operator()<16>();
      case 32:
        return run.template operator()<32>();
      case 64:
        return run.template operator()<64>();
      case 128:
        return run.template operator()<128>();
      default:
        return run.template operator()<0>();
    }
  }

  static void sgd(const factor_arrays& to, const compared_pair* pairs, std::size_t count) {
    each(to, pairs, count,
         []<std::size_t Known>(const factor_arrays& at, const compared_pair& c) { sgd_of<Known>(at, c); });
  }
  static void row_adagrad(const factor_arrays& to, const factor_sums& sums, const compared_pair* pairs,
                          std::size_t count) {
    each(to, pairs, count, [sums]<std::size_t Known>(const factor_arrays& at, const compared_pair& c) {
      row_adagrad_of<Known>(at, sums, c);
    });
  }

 public:
  static constexpr pairwise_kernels table{&sgd, &row_adagrad};
};

}  // namespace hogwild::detail
