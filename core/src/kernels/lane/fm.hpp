// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lane/rows.hpp"
#include "kernels/lane/runs.hpp"
#include "kernels/row_rules.hpp"

// One row and factorization machines side by side. For each model the operations and their order are those of
// fm/loops.hpp, so that the bits are the same.

namespace hogwild::detail {

template <class Isa, std::size_t Models, class Index, class Value>
class lane_fm_rows {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  static constexpr std::size_t floats = Models < Isa::floats ? Models : Isa::floats, vectors = Models / floats;
  using vector = vector_of<floats>;

 public:
  using sgd_rule = typename rules::template sgd_rule_of<vector>;
  using adagrad_rule = typename rules::template adagrad_rule_of<vector>;

  /// The scores of a row by all models. Leaves the sums over its entries in `room`.
  static void scores(const fm_arrays& w, const entries& z, float* room, float* out) {
    const std::size_t n = w.width * Models;
    float* const squares = room + n;
    for (std::size_t i = 0; i < 2 * n; ++i) room[i] = 0.0f;
    lane_runs<Isa, Index, Value>::template add_up<vector, true>(w.factors, n, z, room, squares);
    lane_row<Isa, Models, Index, Value>::template dot<width>(w.weights, z, out, w.bias);
    for (std::size_t at = 0; at < Models; at += floats) {
      const vector pairs =
          w.width == 4 ? of_pairs<4>(w.width, room + at, squares + at) : of_pairs<8>(w.width, room + at, squares + at);
      rules::store(out + at, loaded<vector>(out + at) + 0.5f * pairs);
    }
  }

  /// Uses the row's room as scores() has left it.
  template <class Rule>
  static void changes(const entries& z, const lane_fm& by) {
    bool all = true;
    for (std::size_t k = 0; k < Models; ++k) all = all && by.step[k] != 0.0f;
    constexpr auto each = std::make_index_sequence<vectors>();
    if (by.l2 != nullptr)
      all ? changes_of<Rule, true, true>(z, by, each) : changes_of<Rule, true, false>(z, by, each);
    else
      all ? changes_of<Rule, false, true>(z, by, each) : changes_of<Rule, false, false>(z, by, each);
  }

 private:
  /// The sums over pairs of entries, added in the order of a vector of this many factors.
  template <std::size_t AtOnce>
  static vector of_pairs(std::size_t factors, const float* sums, const float* squares) {
    vector of[AtOnce] = {};
    for (std::size_t f = 0; f < factors; f += AtOnce) {
      for (std::size_t l = 0; l < AtOnce; ++l) {
        const vector sum = loaded<vector>(sums + (f + l) * Models);
        of[l] += sum * sum - loaded<vector>(squares + (f + l) * Models);
      }
    }
    if constexpr (AtOnce == 4)
      return (of[0] + of[2]) + (of[1] + of[3]);
    else
      return ((of[0] + of[4]) + (of[2] + of[6])) + ((of[1] + of[5]) + (of[3] + of[7]));
  }

  template <class Rule>
  static float* sums_at(float* sums, std::size_t place) {
    return Rule::sums ? sums + place : nullptr;
  }

  /// All: every model makes a step.
  template <class Rule, bool L2, bool All, std::size_t... V>
  static void changes_of(const entries& z, const lane_fm& given, std::index_sequence<V...>) {
    const lane_fm by = given;  // a copy that no store below can change, for the compiler
    const Rule rule[] = {Rule{loaded<vector>(by.step + V * floats)}...};
    const vector slope[] = {loaded<vector>(by.slope + V * floats)...};
    const typename bits_of<vector>::with_sign moves[] = {loaded<vector>(by.step + V * floats) != vector{}...};
    /// Changes one parameter of vector v of models.
    const auto change = [&]<bool WithL2>(std::size_t v, float* w, float* sums, vector g, vector factor) {
      const vector before = loaded<vector>(w + v * floats);
      vector had{}, sum{};
      if constexpr (Rule::sums) had = sum = loaded<vector>(sums + v * floats);
      const vector after = rule[v].template change<WithL2>(before, g, factor, sum);
      rules::store(w + v * floats, All ? after : moves[v] ? after : before);
      if constexpr (Rule::sums) rules::store(sums + v * floats, All ? sum : moves[v] ? sum : had);
    };
    in_parts_of<Isa>(z, [&](const Index* index, const float* x, std::size_t size) {
      for (std::size_t e = 0; e < size; ++e) {
        const std::size_t j = index[e], factors = j * by.to.width * Models;
        const vector slope_of[] = {slope[V] * x[e]...};
        vector factor[vectors] = {};
        if constexpr (L2) ((factor[V] = loaded<vector>(by.l2 + j * Models + V * floats)), ...);
        for (std::size_t f = 0; f < by.to.width; ++f) {
          const std::size_t at = factors + f * Models;
          const auto change_factor = [&](std::size_t v) __attribute__((always_inline)) {
            const vector w = loaded<vector>(by.to.factors + at + v * floats);
            const vector g = slope_of[v] * (loaded<vector>(by.room + f * Models + v * floats) - x[e] * w);
            change.template operator()<L2>(v, by.to.factors + at, sums_at<Rule>(by.sums.factors, at), g, factor[v]);
          };
          (change_factor(V), ...);
        }
        (change.template operator()<L2>(V, by.to.weights + j * Models, sums_at<Rule>(by.sums.weights, j * Models),
                                        slope_of[V], factor[V]),
         ...);
      }
    });
    (change.template operator()<false>(V, by.to.bias, by.sums.bias, slope[V], vector{}), ...);
  }
};

}  // namespace hogwild::detail
