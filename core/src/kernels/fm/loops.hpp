// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hogwild/detail/kernels/row_kernels.hpp>

#include "kernels/factor_cells.hpp"
#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// The loops of factorization machines. As in margin/loops.hpp, each instruction set's type belongs to its own file, and
// nothing here calls an inline function of other headers on floats.

namespace hogwild::detail {

/// Isa has load_one(value) and load(value), for a float or a half, as for margin_loops.
template <class Isa, class Factor, class Index, class Value>
class fm_loops : row_rules<Isa> {
  using typename row_rules<Isa>::sgd_rule;
  using typename row_rules<Isa>::adagrad_rule;
  using row_rules<Isa>::store;
  using arrays = fm_arrays_of<Factor>;
  using batch = row_batch<Index, Value>;
  using cells = factor_cells<Isa>;
  using row_chance = typename cells::row_chance;

  /// Bytes of a column that are prefetched; the processor's own prefetcher continues from there.
  static constexpr std::size_t most_announced = 128;
  /// The most vectors of factors that are held in registers over a row.
  static constexpr std::size_t most_vectors = 4;

  using row = typename row_rules<Isa>::template entries<Index, Value>;
  using update = row_update<arrays>;

  /// Prefetches the factors of a column, or an optimiser's state for them.
  template <std::size_t Width, class T>
  static void announce(const fm_arrays_of<T>& w, std::size_t column) {
    constexpr std::size_t line = 64 / sizeof(T), most = most_announced / sizeof(T);
    const T* const from = w.factors + column * stride<Width>(w);
    const std::size_t n = stride<Width>(w) < most ? stride<Width>(w) : most;
    for (std::size_t f = 0; f < n; f += line) __builtin_prefetch(from + f, 1);
  }

  /// Width: the width of the factors, or 0 if only the arrays have it.
  template <std::size_t Width, class T>
  static std::size_t stride(const fm_arrays_of<T>& w) {
    return Width != 0 ? Width : w.width;
  }
  /// A vector of factors: half as long if a column has no more of them.
  template <std::size_t Width>
  using factors_at_once = std::conditional_t<Width == 4, floats4, floats8>;
  template <std::size_t Width>
  static constexpr std::size_t length = sizeof(factors_at_once<Width>) / sizeof(float);
  template <class Body>
  static void with_width(std::size_t of, const Body& body) {
    switch (of) {
      case 4:
        return body.template operator()<4>();
      case 8:
        return body.template operator()<8>();
      case 16:
        return body.template operator()<16>();
      default:
        return body.template operator()<0>();
    }
  }

  /// Calls body.operator()<Vectors>(first) for all factors, with as many vectors at once as fit into registers.
  template <std::size_t Width, class Body>
  static void in_parts(const arrays& w, const Body& body) {
    if constexpr (Width != 0) return body.template operator()<Width / length<Width>>(std::size_t{0});
    std::size_t first = 0;
    for (; first + most_vectors * width <= w.width; first += most_vectors * width)
      body.template operator()<most_vectors>(first);
    switch ((w.width - first) / width) {
      case 3:
        return body.template operator()<3>(first);
      case 2:
        return body.template operator()<2>(first);
      case 1:
        return body.template operator()<1>(first);
      default:
        return;
    }
  }

  /// Computes the sums over the row's entries for the vectors of factors from `first` on; adds to `pairs` by lane.
  template <std::size_t Width, std::size_t Vectors, class Floats>
  static void sum_up(const arrays& w, std::size_t first, const row& z, Floats (&sum)[Vectors], Floats& pairs) {
    Floats square[Vectors];
    for (std::size_t b = 0; b < Vectors; ++b) sum[b] = square[b] = Floats{};
    for (std::size_t k = 0; k < z.size; ++k) {
      const float x = Isa::load_one(z.value + k);
      const Factor* const v = w.factors + z.index[k] * stride<Width>(w) + first;
      for (std::size_t b = 0; b < Vectors; ++b) {
        const Floats p = x * cells::template load<Floats>(v + b * length<Width>);
        sum[b] += p;
        square[b] += p * p;
      }
    }
    for (std::size_t b = 0; b < Vectors; ++b) pairs += sum[b] * sum[b] - square[b];
  }

  static float linear(const arrays& w, const row& z) {
    floats8 sum{};
    std::size_t k = 0;
    for (; k + width <= z.size; k += width) sum += gathered(w.weights, z.index + k) * Isa::load(z.value + k);
    float rest = *w.bias;
    for (; k < z.size; ++k) rest += w.weights[z.index[k]] * Isa::load_one(z.value + k);
    return total(sum) + rest;
  }

  /// The score; leaves the sums in `room` unless it is null.
  template <std::size_t Width>
  static float score(const arrays& w, const row& z, float* room) {
    using floats = factors_at_once<Width>;
    floats pairs{};
    in_parts<Width>(w, [&]<std::size_t Vectors>(std::size_t first) {
      floats sum[Vectors];
      sum_up<Width>(w, first, z, sum, pairs);
      for (std::size_t b = 0; room != nullptr && b < Vectors; ++b) store(room + first + b * length<Width>, sum[b]);
    });
    return linear(w, z) + 0.5f * total(pairs);
  }

  /// Meanwhile prefetches the factors of the row `next`.
  template <std::size_t Width, std::size_t Vectors, bool L2, class Rule>
  static void change_factors(const update& u, const Rule& rule, const row_chance& chance, std::size_t first,
                             const row& z, float slope, const row& next) {
    using floats = factors_at_once<Width>;
    floats total_of[Vectors];
    for (std::size_t b = 0; b < Vectors; ++b) total_of[b] = loaded<floats>(u.room + first + b * length<Width>);
    for (std::size_t k = 0; k < z.size; ++k) {
      if (k < next.size) {
        announce<Width>(u.to, next.index[k]);
        if constexpr (Rule::sums) announce<Width>(u.sums, next.index[k]);
      }
      const std::size_t j = z.index[k], at = j * stride<Width>(u.to) + first;
      const float x = Isa::load_one(z.value + k), by = slope * x;
      const floats factor =
          row_rules<Isa>::template splat<floats>(rule.l2_factor(u.l2_of != nullptr ? u.l2_of[j] : u.l2));
      for (std::size_t b = 0; b < Vectors; ++b) {
        const std::size_t place = at + b * length<Width>;
        const floats v = cells::template load<floats>(u.to.factors + place), g = by * (total_of[b] - x * v);
        floats sum{};
        if constexpr (Rule::sums) sum = loaded<floats>(u.sums.factors + place);
        chance.store(u.to.factors, place, rule.template change<L2>(v, g, factor, sum));
        if constexpr (Rule::sums) store(u.sums.factors + place, sum);
      }
    }
  }

  template <std::size_t Width, bool L2, class Rule>
  static void train(const update& given, const batch& rows, const score_response& response) {
    const update u = given;  // a copy that no store below can change, for the compiler
    const Rule rule{u.step};
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const row z(rows, i), next = i + 1 < rows.rows ? row(rows, i + 1) : row();
      float slope = score<Width>(u.to, z, u.room);
      if (!response.derive(response.context, i, &slope) && !L2) continue;
      in_parts<Width>(u.to, [&]<std::size_t Vectors>(std::size_t first) {
        change_factors<Width, Vectors, L2>(u, rule, row_chance(u.chance, i), first, z, slope,
                                           first == 0 ? next : row());
      });
      row_rules<Isa>::template change_weights<L2>(u, rule, z, slope);
      if (!u.biases) continue;
      float none = 0.0f;
      *u.to.bias = rule.template change<false>(*u.to.bias, slope, none, Rule::sums ? *u.sums.bias : none);
    }
  }
  template <class Rule>
  static void train_by(const update& u, const batch& rows, const score_response& response) {
    const bool l2 = u.l2 != 0.0f || u.l2_of != nullptr;
    with_width(u.to.width, [&]<std::size_t Width>() {
      (l2 ? train<Width, true, Rule> : train<Width, false, Rule>)(u, rows, response);
    });
  }

  static void scores(const arrays& from, const batch& rows, float* out) {
    with_width(from.width, [&]<std::size_t Width>() {
      for (std::size_t i = 0; i < rows.rows; ++i) out[i] = score<Width>(from, row(rows, i), nullptr);
    });
  }

 public:
  static constexpr row_kernels<arrays, Index, Value> table{&train_by<sgd_rule>, &train_by<adagrad_rule>, &scores};
};

}  // namespace hogwild::detail
