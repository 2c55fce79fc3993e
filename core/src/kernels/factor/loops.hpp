// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/factor_kernels.hpp>

#include "kernels/lanes.hpp"

// The loops of matrix factorisation for vectors of 4, 8 or 16 floats. As in margin/loops.hpp, each instruction set's
// type belongs to its own file.

namespace hogwild::detail {

/// Isa has the vector type `floats`.
template <class Isa>
class factor_loops {
  using lanes = lanes_of<Isa, typename Isa::floats>;
  using floats = typename lanes::floats;
  static constexpr std::size_t lane_count = lanes::lane_count;

  /// Rows are prefetched this many ratings ahead.
  static constexpr std::size_t ahead = 6;

  /// A row in registers, if its width is known and they suffice.
  template <std::size_t Width>
  struct row {
    static constexpr std::size_t count = Width / lane_count;
    floats part[count];

    explicit row(const float* from) {
      for (std::size_t i = 0; i < count; ++i) part[i] = lanes::loaded(from + i * lane_count);
    }
  };

  template <std::size_t Width>
  static float dot(const row<Width>& p, const row<Width>& q) {
    floats sum = p.part[0] * q.part[0];
    for (std::size_t i = 1; i < row<Width>::count; ++i) sum += p.part[i] * q.part[i];
    return lanes::total(sum);
  }
  static float dot(const float* p, const float* q, std::size_t width) {
    floats sum{};
    for (std::size_t i = 0; i < width; i += lane_count) sum += lanes::loaded(p + i) * lanes::loaded(q + i);
    return lanes::total(sum);
  }

  /// The score minus the rating, without the dot.
  static float offset(const factor_arrays& to, const rating& r) {
    float sum = to.mean - r.value;
    if (to.user_bias != nullptr) sum += to.user_bias[r.user] + to.item_bias[r.item];
    return sum;
  }
  static float weight(const factor_arrays& to, const rating& r) {
    return r.value < to.full_weight_from ? __builtin_expf(0.75f * (r.value - to.full_weight_from)) : 1.0f;
  }
  static float user_l2(const factor_arrays& to, const rating& r) {
    return to.user_l2 != nullptr ? to.user_l2[r.user] : to.l2;
  }
  static float item_l2(const factor_arrays& to, const rating& r) {
    return to.item_l2 != nullptr ? to.item_l2[r.item] : to.l2;
  }

  // Inlined always: gcc 12 drops calls of functions that do nothing but prefetch.
  [[gnu::always_inline]] static void announce(const factor_arrays& to, const rating& r) {
    const float* const p = to.users + r.user * to.width;
    const float* const q = to.items + r.item * to.width;
    for (std::size_t i = 0; i < to.width && i < 64; i += 16) {
      __builtin_prefetch(p + i, 1);
      __builtin_prefetch(q + i, 1);
    }
  }

  static void change_biases(const factor_arrays& to, const rating& r, float d, float for_user, float for_item) {
    float& user = to.user_bias[r.user];
    float& item = to.item_bias[r.item];
    user -= to.step * (d + for_user * user);
    item -= to.step * (d + for_item * item);
  }

  template <std::size_t Width>
  static void sgd_of(const factor_arrays& to, const rating& r) {
    float* const p = to.users + r.user * Width;
    float* const q = to.items + r.item * Width;
    const row<Width> user(p), item(q);
    const float for_user = user_l2(to, r), for_item = item_l2(to, r);
    const float d = weight(to, r) * (dot(user, item) + offset(to, r));
    const floats change = lanes::splat(-to.step * d), keep_user = lanes::splat(1 - to.step * for_user),
                 keep_item = lanes::splat(1 - to.step * for_item);
    for (std::size_t i = 0; i < row<Width>::count; ++i)
      lanes::store(p + i * lane_count, change * item.part[i] + keep_user * user.part[i]);
    for (std::size_t i = 0; i < row<Width>::count; ++i)
      lanes::store(q + i * lane_count, change * user.part[i] + keep_item * item.part[i]);
    if (to.user_bias != nullptr) change_biases(to, r, d, for_user, for_item);
  }

  static void sgd_of_any(const factor_arrays& to, const rating& r) {
    float* const p = to.users + r.user * to.width;
    float* const q = to.items + r.item * to.width;
    const float for_user = user_l2(to, r), for_item = item_l2(to, r);
    const float d = weight(to, r) * (dot(p, q, to.width) + offset(to, r));
    const floats change = lanes::splat(-to.step * d), keep_user = lanes::splat(1 - to.step * for_user),
                 keep_item = lanes::splat(1 - to.step * for_item);
    for (std::size_t i = 0; i < to.width; i += lane_count) {
      const floats user = lanes::loaded(p + i), item = lanes::loaded(q + i);
      lanes::store(p + i, change * item + keep_user * user);
      lanes::store(q + i, change * user + keep_item * item);
    }
    if (to.user_bias != nullptr) change_biases(to, r, d, for_user, for_item);
  }

  template <class One>
  static void each(const factor_arrays& to, const rating* ratings, std::size_t count, const One& one) {
    for (std::size_t k = 0; k < count; ++k) {
      announce(to, ratings[k + ahead < count ? k + ahead : k]);
      one(ratings[k]);
    }
  }

  static void sgd(const factor_arrays& given, const rating* ratings, std::size_t count) {
    const factor_arrays to = given;  // a copy that no store below can change, for the compiler
    const auto run = [&]<std::size_t Width>() {
      factor_arrays known = to;
      known.width = Width;
      each(known, ratings, count, [&](const rating& r) { sgd_of<Width>(known, r); });
    };
    switch (to.width) {
      case 16:
        return run.template operator()<16>();
      case 32:
        return run.template operator()<32>();
      case 48:
        return run.template operator()<48>();
      case 64:
        return run.template operator()<64>();
      default:
        each(to, ratings, count, [&](const rating& r) { sgd_of_any(to, r); });
    }
  }

  /// A step of row_adagrad for one float with its own sum.
  static void step_one(float& w, float& sum, float g, const factor_arrays& to, float epsilon) {
    sum += g * g;
    w -= to.step / __builtin_sqrtf(sum + epsilon) * g;
  }

  static void row_adagrad_of(const factor_arrays& to, const factor_sums& sums, const rating& r) {
    float* const p = to.users + r.user * to.width;
    float* const q = to.items + r.item * to.width;
    float& user_sum = sums.users[r.user * sums.apart];
    float& item_sum = sums.items[r.item * sums.apart];
    const float for_user = user_l2(to, r), for_item = item_l2(to, r);
    const float d = weight(to, r) * (dot(p, q, to.width) + offset(to, r));
    floats user_squares{}, item_squares{};
    for (std::size_t i = 0; i < to.width; i += lane_count) {
      const floats user = lanes::loaded(p + i), item = lanes::loaded(q + i);
      const floats user_g = d * item + for_user * user, item_g = d * user + for_item * item;
      user_squares += user_g * user_g;
      item_squares += item_g * item_g;
    }
    user_sum += lanes::total(user_squares) / static_cast<float>(to.width);
    item_sum += lanes::total(item_squares) / static_cast<float>(to.width);
    const float user_step = to.step / __builtin_sqrtf(user_sum + sums.epsilon);
    const float item_step = to.step / __builtin_sqrtf(item_sum + sums.epsilon);
    for (std::size_t i = 0; i < to.width; i += lane_count) {
      const floats user = lanes::loaded(p + i), item = lanes::loaded(q + i);
      lanes::store(p + i, user - user_step * (d * item + for_user * user));
      lanes::store(q + i, item - item_step * (d * user + for_item * item));
    }
    if (to.user_bias == nullptr) return;
    step_one(to.user_bias[r.user], sums.user_bias[r.user], d + for_user * to.user_bias[r.user], to, sums.epsilon);
    step_one(to.item_bias[r.item], sums.item_bias[r.item], d + for_item * to.item_bias[r.item], to, sums.epsilon);
  }

  static void row_adagrad(const factor_arrays& given, const factor_sums& sums, const rating* ratings,
                          std::size_t count) {
    const factor_arrays to = given;
    each(to, ratings, count, [&](const rating& r) { row_adagrad_of(to, sums, r); });
  }

  static void scores(const factor_arrays& from, const rating* ratings, std::size_t count, float* out) {
    for (std::size_t k = 0; k < count; ++k) {
      const rating& r = ratings[k];
      float sum = from.mean + dot(from.users + r.user * from.width, from.items + r.item * from.width, from.width);
      if (from.user_bias != nullptr) sum += from.user_bias[r.user] + from.item_bias[r.item];
      out[k] = sum;
    }
  }

 public:
  static constexpr factor_kernels table{&sgd, &row_adagrad, &scores};
};

}  // namespace hogwild::detail
