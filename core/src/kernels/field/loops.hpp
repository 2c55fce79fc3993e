// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/field_kernels.hpp>

#include "kernels/factor_cells.hpp"
#include "kernels/field/pairs.hpp"
#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// The loops of field-aware factorization machines. As in margin/loops.hpp, each instruction set's type belongs to its
// own file, and nothing here calls an inline function of other headers on floats.

namespace hogwild::detail {

/// Isa has the type `widest` of floats that are changed at once; the result for each float does not depend on it.
template <class Isa, class Factor>
class field_loops : row_rules<Isa> {
  using typename row_rules<Isa>::sgd_rule;
  using typename row_rules<Isa>::adagrad_rule;
  using row_rules<Isa>::store;
  using arrays = field_arrays_of<Factor>;
  using update = row_update<arrays>;
  using cells = factor_cells<Isa>;
  using row_chance = typename cells::row_chance;
  using pairs_of_row = field_pairs<Isa, Factor>;

  static bool alone(const field_entry& e) { return e.begins && e.ends; }
  template <class T>
  static const T* block(const field_arrays_of<T>& w, const field_entry& e, const field_run& run) {
    return w.factors + e.column * w.stride + run.field * w.width;
  }

  /// Copies the factors of an entry for field f to the room's row f, or adds them to it.
  template <std::size_t Width, bool Add>
  static void hand_out(const arrays& w, const field_row& row, const field_entry& e, float* room) {
    const std::size_t width_of = Width != 0 ? Width : w.width, row_of = row.slots * width_of;
    for (std::size_t r = 0; r < row.runs; ++r) {
      const field_run& run = row.run[r];
      const Factor* v = block(w, e, run);
      float* to = room + run.slot * row_of + e.slot * width_of;
      for (std::size_t n = run.fields; n > 0; --n, v += width_of, to += row_of) {
        for (std::size_t f = 0; f < width_of; f += 4) {
          const floats4 p = e.x * cells::template load<floats4>(v + f);
          store(to + f, Add ? loaded<floats4>(to + f) + p : p);
        }
      }
    }
  }

  /// Sums of products, with as many products at once as the rest of a row allows.
  struct products {
    floats16 many{};
    floats8 some{};
    floats4 few{};

    /// Adds x * a * b of n floats, a multiple of four.
    void add(float x, const Factor* a, const float* b, std::size_t n) {
      std::size_t i = 0;
      for (; i + 2 * width <= n; i += 2 * width)
        many += (x * cells::template load<floats16>(a + i)) * loaded<floats16>(b + i);
      if (i + width <= n) {
        some += (x * cells::load(a + i)) * loaded(b + i);
        i += width;
      }
      if (i < n) few += (x * cells::template load<floats4>(a + i)) * loaded<floats4>(b + i);
    }
    float sum() const {
      floats8 halves[2];
      __builtin_memcpy(halves, &many, sizeof many);
      return (total(halves[0]) + total(halves[1])) + (total(some) + total(few));
    }
  };

  /// Adds the products of an entry's factors with those of earlier entries, which the room's row of its field already
  /// has.
  static void add_earlier(const arrays& w, const field_row& row, const field_entry& e, const float* room,
                          products& pairs) {
    const std::size_t slots = e.slot + (e.begins ? 0 : 1);
    const float* const met = room + e.slot * row.slots * w.width;
    for (std::size_t r = 0; r < row.runs && row.run[r].slot < slots; ++r) {
      const field_run& run = row.run[r];
      const std::size_t fields = run.slot + run.fields <= slots ? run.fields : slots - run.slot;
      pairs.add(e.x, block(w, e, run), met + run.slot * w.width, fields * w.width);
    }
  }

  template <std::size_t Width>
  static float score_of(const arrays& w, const field_row& row, float* room) {
    float linear = *w.bias;
    products pairs;
    for (std::size_t k = 0; k < row.entries; ++k) {
      const field_entry& e = row.entry[k];
      linear += w.weights[e.column] * e.x;
      add_earlier(w, row, e, room, pairs);
      (e.begins ? hand_out<Width, false> : hand_out<Width, true>)(w, row, e, room);
    }
    return linear + pairs.sum();
  }
  static float score(const arrays& w, const field_row& row, float* room) {
    if (pairs_of_row::suit(w, row)) return pairs_of_row(w, row).score(w);
    return (w.width == 4 ? score_of<4> : score_of<0>)(w, row, room);
  }

  /// Changes n factors from place `at` on, a multiple of four, whose partials are `by` times `met`.
  template <bool L2, class Rule>
  static void change(const update& u, const row_chance& chance, std::size_t at, const float* met, std::size_t n,
                     float by, const Rule& rule, float l2) {
    const auto change_at = [&]<class Floats>(std::size_t i, Floats) {
      const Floats v = cells::template load<Floats>(u.to.factors + at + i), g = by * loaded<Floats>(met + i);
      Floats sum{};
      if constexpr (Rule::sums) sum = loaded<Floats>(u.sums.factors + at + i);
      chance.store(u.to.factors, at + i, rule.template change<L2>(v, g, Floats{} + l2, sum));
      if constexpr (Rule::sums) store(u.sums.factors + at + i, sum);
    };
    using widest = typename Isa::widest;
    constexpr std::size_t step = sizeof(widest) / sizeof(float);
    std::size_t i = 0;
    for (; i + step <= n; i += step) change_at(i, widest{});
    for (; i + 4 <= n; i += 4) change_at(i, floats4{});
  }

  // Inlined, because gcc removes the call of a function that only prefetches, as if it had no effect.
  template <class T>
  [[gnu::always_inline]] static void announce(const field_arrays_of<T>& w, const field_entry& e, const field_run& run) {
    constexpr std::size_t line = 64 / sizeof(T);
    const T* const from = block(w, e, run);
    for (std::size_t i = 0; i < run.fields * w.width + line - 1; i += line) __builtin_prefetch(from + i, 1, 2);
  }

  /// Prefetches what entry k of a row will need, if there is such an entry.
  template <class Rule>
  [[gnu::always_inline]] static void announce(const update& u, const field_row& row, std::size_t k) {
    for (std::size_t r = 0; k < row.entries && r < row.runs; ++r) {
      announce(u.to, row.entry[k], row.run[r]);
      if constexpr (Rule::sums) announce(u.sums, row.entry[k], row.run[r]);
    }
  }

  template <class Rule>
  static void change_bias(const update& u, const Rule& rule, float slope) {
    if (!u.biases) return;
    float none = 0.0f;
    *u.to.bias = rule.template change<false>(*u.to.bias, slope, none, Rule::sums ? *u.sums.bias : none);
  }

  /// Removes the entry's own factors from its field's sums for it; saves what was there in `kept`.
  static void leave_out(const arrays& w, const field_entry& e, float* own, float* kept) {
    const Factor* const v = w.factors + e.column * w.stride + e.field * w.width;
    for (std::size_t f = 0; f < w.width; f += 4) {
      const floats4 all = loaded<floats4>(own + f);
      store(kept + f, all);
      store(own + f, all - e.x * cells::template load<floats4>(v + f));
    }
  }
  static void put_back(float* own, const float* kept, std::size_t n) {
    for (std::size_t f = 0; f < n; f += 4) store(own + f, loaded<floats4>(kept + f));
  }

  template <bool L2, class Rule>
  static void train(const update& given, const field_row& row, float slope, const field_row& next) {
    const update u = given;  // a copy that no store below can change, for the compiler
    const Rule rule{u.step};
    const row_chance chance(u.chance);
    if (pairs_of_row::suit(u.to, row)) {
      pairs_of_row(u.to, row).template train<L2>(
          u, rule, chance, slope, [&](std::size_t k) __attribute__((always_inline)) { announce<Rule>(u, next, k); });
      return change_bias(u, rule, slope);
    }
    const float l2 = rule.l2_factor(u.l2);
    const std::size_t width_of = u.to.width;
    float* const kept = u.room + row.slots * row.slots * width_of;
    for (std::size_t k = 0; k < row.entries; ++k) {
      const field_entry& e = row.entry[k];
      announce<Rule>(u, next, k);
      float none = 0.0f;
      float& weight = u.to.weights[e.column];
      weight = rule.template change<L2>(weight, slope * e.x, l2, Rule::sums ? u.sums.weights[e.column] : none);
      float* const met = u.room + e.slot * row.slots * width_of;
      float* const own = met + e.slot * width_of;
      if (!alone(e)) leave_out(u.to, e, own, kept);
      const auto change_slots = [&](const field_run& run, std::size_t first, std::size_t last) {
        const std::size_t at = e.column * u.to.stride + (run.field + first - run.slot) * width_of;
        change<L2>(u, chance, at, met + first * width_of, (last - first) * width_of, slope * e.x, rule, l2);
      };
      for (std::size_t r = 0; r < row.runs; ++r) {
        const field_run& run = row.run[r];
        const std::size_t end = run.slot + run.fields;
        const bool split = alone(e) && e.slot >= run.slot && e.slot < end;
        change_slots(run, run.slot, split ? e.slot : end);
        if (split) change_slots(run, e.slot + 1, end);
      }
      if (!alone(e)) put_back(own, kept, width_of);
    }
    change_bias(u, rule, slope);
  }
  template <class Rule>
  static void train_by(const update& u, const field_row& row, float slope, const field_row& next) {
    (u.l2 != 0.0f ? train<true, Rule> : train<false, Rule>)(u, row, slope, next);
  }

 public:
  static constexpr field_kernels_on<Factor> table{&score, &train_by<sgd_rule>, &train_by<adagrad_rule>};
};

}  // namespace hogwild::detail
