// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/margin_kernels.hpp>

#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// Momentum and adam on margin models, as defined in block_optimizer.hpp, for one column or several at once. As in
// margin/loops.hpp, each instruction set's type belongs to its own file.

namespace hogwild::detail {

/// 2^x and 1 - 2^x, the latter with full precision even if x is near 0.
template <class T>
struct power_and_rest {
  T power, rest;
};

template <class Isa>
struct fading_rules {
  using base = row_rules<Isa>;

  /// For x <= 0; below -126 the same as at -126. The polynomial is the series of e^(r ln 2), |r| <= 1/2, whose next
  /// term is below 2^-27 of it.
  template <class T>
  static power_and_rest<T> power_of_two(T x) {
    constexpr float to_whole = 12582912.0f;  // 1.5 * 2^23: adding it rounds a number to a whole one
    const T least = T{} - 126.0f;
    x = x < least ? least : x;
    const T shifted = x + to_whole, r = x - (shifted - to_whole);
    const T high = 1.3333558e-3f + r * (1.5403530e-4f + r * 1.5252734e-5f);
    const T low = 0.69314718f + r * (0.24022651f + r * (5.5504109e-2f + r * (9.6181291e-3f + r * high)));
    typename bits_of<T>::without bits;
    __builtin_memcpy(&bits, &shifted, sizeof bits);
    bits = (bits - (0x4b400000u - 127u)) << 23;
    T scale;
    __builtin_memcpy(&scale, &bits, sizeof scale);
    const T part = scale * (r * low);
    return {scale + part, (1.0f - scale) - part};
  }

  /// The square root with a relative error of at most 2.4e-5, for normal numbers x; for smaller x >= 0 about that of
  /// the least normal number.
  template <class T>
  static T root(T x) {
    return x * typename base::over_root{1.0f}(x);
  }
  template <class T>
  static T larger(T a, T b) {
    return a < b ? b : a;
  }
  /// State that has decayed below 1e-30 is set to 0.
  template <class T>
  static T left(T x, T by) {
    const T kept = x * by, zero{}, most = zero + 1e-30f, least = zero - 1e-30f;
    return kept < most ? (kept > least ? zero : kept) : kept;
  }
  /// log2 of a number in [0, 1); for 0 so small that every power but the 0th is 0.
  static float logarithm(float of) { return of > 0.0f ? __builtin_log2f(of) : -1000.0f; }

  /// A place gives access to parameters and their state: load<T>(array), store(array, T). settle() makes the steps of
  /// `rows` rows without these columns, change() that of a row whose partial is g.
  struct momentum {
    float mu, size, log_mu, way;

    explicit momentum(const fading_update& u)
        : mu(u.momentum), size(u.step), log_mu(logarithm(mu)), way(size * mu / (1.0f - mu)) {}

    template <class T, class Place>
    void settle(const fading_update& u, const Place& at, T rows) const {
      const power_and_rest<T> by = power_of_two<T>(rows * log_mu);
      const T v = at.template load<T>(u.first);
      at.store(u.weights, at.template load<T>(u.weights) - way * by.rest * v);
      at.store(u.first, left(v, by.power));
    }
    template <class T, class Place>
    void change(const fading_update& u, const Place& at, T w, T g) const {
      const T v = mu * at.template load<T>(u.first) + g;
      at.store(u.first, v);
      at.store(u.weights, w - size * v);
    }
  };

  struct adam {
    float beta1, beta2, epsilon, size, log1, log2, ratio, log_ratio;

    explicit adam(const fading_update& u)
        : beta1(u.beta1),
          beta2(u.beta2),
          epsilon(u.epsilon),
          size(u.step),
          log1(logarithm(beta1)),
          log2(logarithm(beta2)),
          ratio(beta1 / __builtin_sqrtf(beta2)),
          log_ratio(log1 - 0.5f * log2) {}

    template <class T, class Place>
    void settle(const fading_update& u, const Place& at, T rows) const {
      const T m = at.template load<T>(u.first), v = larger<T>(at.template load<T>(u.second), u.least_square * (m * m));
      const T t = larger<T>(at.template load<T>(u.steps), T{});
      T sum = rows, latest = rows;
      if (ratio < 1.0f) {
        sum = (ratio / (1.0f - ratio)) * power_of_two<T>(rows * log_ratio).rest;
        latest = T{} + 1.0f / (1.0f - ratio);
      }
      const T half_way = 0.5f * (rows + 1.0f), middle = t + (half_way < latest ? half_way : latest);
      const T first = power_of_two<T>(middle * log1).rest, second = root(power_of_two<T>(middle * log2).rest);
      const T way = size * sum * second / first;
      at.store(u.weights, at.template load<T>(u.weights) - way * m / (root(v) + epsilon * second));
      at.store(u.first, left(m, power_of_two<T>(rows * log1).power));
      at.store(u.second, left(v, power_of_two<T>(rows * log2).power));
      at.store(u.steps, t + rows);
    }
    template <class T, class Place>
    void change(const fading_update& u, const Place& at, T w, T g) const {
      const T m_before = at.template load<T>(u.first), v_before = at.template load<T>(u.second);
      const T t = larger<T>(at.template load<T>(u.steps), T{}) + 1.0f;
      const T m = m_before + (1.0f - beta1) * (g - m_before);
      const T v = larger<T>(v_before + (1.0f - beta2) * (g * g - v_before), u.least_square * (m * m));
      const T first = power_of_two<T>(t * log1).rest, second = power_of_two<T>(t * log2).rest;
      at.store(u.first, m);
      at.store(u.second, v);
      at.store(u.steps, t);
      at.store(u.weights, w - size * (m / first) / (root(v / second) + epsilon));
    }
  };

  /// Places for parameter j; for those from j on; for those of several entries.
  struct one {
    std::size_t j;
    template <class T>
    T load(const float* from) const {
      return from[j];
    }
    void store(float* to, float x) const { to[j] = x; }
    float owed(const fading_update& u, std::uint32_t now) const { return static_cast<float>(now - u.settled[j]); }
  };
  struct run {
    std::size_t j;
    template <class T>
    T load(const float* from) const {
      return loaded<T>(from + j);
    }
    void store(float* to, floats8 x) const { base::store(to + j, x); }
    floats8 owed(const fading_update& u, std::uint32_t now) const {
      float rows[width];
      for (std::size_t l = 0; l < width; ++l) rows[l] = static_cast<float>(now - u.settled[j + l]);
      return loaded(rows);
    }
  };
  template <class Index>
  struct several {
    const Index* j;
    template <class T>
    T load(const float* from) const {
      return gathered(from, j);
    }
    void store(float* to, floats8 x) const {
      float values[width];
      base::store(values, x);
      for (std::size_t l = 0; l < width; ++l) to[j[l]] = values[l];
    }
    floats8 owed(const fading_update& u, std::uint32_t now) const {
      float rows[width];
      for (std::size_t l = 0; l < width; ++l) rows[l] = static_cast<float>(now - u.settled[j[l]]);
      return loaded(rows);
    }
  };
};

/// The loops for an optimiser, which is one of the rules above; rows come one after the other.
template <class Isa, class Rule, class Index, class Value, class Loops>
struct fading_loops {
  using rules = fading_rules<Isa>;
  using one = typename rules::one;
  using several = typename rules::template several<Index>;
  using entries = typename row_rules<Isa>::template entries<Index, Value>;

  static void train(const fading_update& given, const row_batch<Index, Value>& rows, const row_response& response) {
    const fading_update u = given;
    const Rule rule(u);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      const auto now = u.now + static_cast<std::uint32_t>(i);
      settle_row(u, rule, z, now);
      const float sum = Loops::dot(u.weights, z.index, z.value, z.size);
      const float slope = response.change(response.context, i, u.bias ? sum + u.weights[u.columns] : sum);
      if (slope != 0.0f || u.l2_of != nullptr) change_row(u, rule, z, slope, now);
      if (u.bias) rule.template change<float>(u, one{u.columns}, u.weights[u.columns], slope);
    }
  }

  static void settle(const fading_update& given) {
    const fading_update u = given;
    const Rule rule(u);
    std::size_t j = 0;
    for (; j + width <= u.columns; j += width) {
      const typename rules::run at{j};
      rule.template settle<floats8>(u, at, at.owed(u, u.now));
    }
    for (; j < u.columns; ++j) rule.template settle<float>(u, one{j}, one{j}.owed(u, u.now));
    for (j = 0; j < u.columns; ++j) u.settled[j] = u.now;
  }

 private:
  static void settle_row(const fading_update& u, const Rule& rule, const entries& z, std::uint32_t now) {
    std::size_t k = 0;
    for (; k + width <= z.size; k += width) {
      const several at{z.index + k};
      rule.template settle<floats8>(u, at, at.owed(u, now));
    }
    for (; k < z.size; ++k) rule.template settle<float>(u, one{z.index[k]}, one{z.index[k]}.owed(u, now));
    for (k = 0; k < z.size; ++k) u.settled[z.index[k]] = now;
  }

  static void change_row(const fading_update& u, const Rule& rule, const entries& z, float slope, std::uint32_t now) {
    std::size_t k = 0;
    for (; k + width <= z.size; k += width) {
      const several at{z.index + k};
      const floats8 w = at.template load<floats8>(u.weights);
      floats8 g = slope * Isa::load(z.value + k);
      if (u.l2_of != nullptr) g += at.template load<floats8>(u.l2_of) * w;
      rule.template change<floats8>(u, at, w, g);
    }
    for (; k < z.size; ++k) {
      const one at{z.index[k]};
      const float w = at.template load<float>(u.weights);
      float g = slope * Isa::load_one(z.value + k);
      if (u.l2_of != nullptr) g += at.template load<float>(u.l2_of) * w;
      rule.template change<float>(u, at, w, g);
    }
    for (k = 0; k < z.size; ++k) u.settled[z.index[k]] = now + 1;
  }
};

}  // namespace hogwild::detail
