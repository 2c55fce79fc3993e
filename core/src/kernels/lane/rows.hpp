// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// One row and models side by side. For each model the operations and their order are those of margin/loops.hpp, so that
// the bits are the same. As there, each instruction set's type belongs to its own file, and nothing here calls an
// inline function of other headers on floats.
//
// Weights are not prefetched: the processor finds the next entries' by itself, and if models stay in its caches,
// prefetching took a tenth to a third more time.

namespace hogwild::detail {

/// The number of partial sums in dot() of a single row (example.hpp).
inline constexpr std::size_t row_sums = 4;

/// The vector type with this many floats.
template <std::size_t Floats>
using vector_of = std::conditional_t<Floats == 4, floats4, std::conditional_t<Floats == 8, floats8, floats16>>;

/// The number of values that are converted from halves to floats at a time.
inline constexpr std::size_t most_widened = 512;

template <class Isa, class Value>
static inline void widen(const Value* value, std::size_t n, float* x) {
  if (n < width) {
    for (std::size_t k = 0; k < n; ++k) x[k] = Isa::load_one(value + k);
    return;
  }
  for (std::size_t k = 0; k + width < n; k += width) row_rules<Isa>::store(x + k, Isa::load(value + k));
  row_rules<Isa>::store(x + n - width, Isa::load(value + n - width));  // some of them for the second time
}

/// Calls body(index, x, n) for the parts of a row, of which there is at least one. The number of entries of all but the
/// last is a multiple of eight.
template <class Isa, class Entries, class Body>
[[gnu::always_inline]] static inline void in_parts_of(const Entries& z, const Body& body) {
  if constexpr (std::is_same_v<decltype(z.value), const float*>) {
    body(z.index, z.value, z.size);
  } else {
    alignas(64) float x[most_widened];
    std::size_t k = 0;
    do {
      const std::size_t n = z.size - k < most_widened ? z.size - k : most_widened;
      widen<Isa>(z.value + k, n, x);
      body(z.index + k, x, n);
      k += n;
    } while (k < z.size);
  }
}

/// The loops over a row's entries for this many models. Isa has load(value) and load_one(value), as for margin_loops;
/// `floats`: how many a register holds; and `sums`: the number of registers for sums.
template <class Isa, std::size_t Models, class Index, class Value>
class lane_row {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  static constexpr std::size_t floats = Models < Isa::floats ? Models : Isa::floats, vectors = Models / floats;
  using vector = vector_of<floats>;
  /// A number for each model.
  struct numbers {
    vector of[vectors];
  };

  /// A dot consists of eight sums, of every eighth entry each, or of four: this many of them are computed in one pass
  /// over the row.
  template <std::size_t Sums>
  static constexpr std::size_t abreast = Isa::sums / vectors < Sums ? Isa::sums / vectors : Sums;
  /// Entries that are updated in one iteration of the loop.
  static constexpr std::size_t updates_at_once = 4;

 public:
  /// With eight sums, as in margin_loops, and the remaining entries in a ninth, which begins with `bias` if given; or
  /// with four as in dot() of a single row, and the remaining entries in the first.
  template <std::size_t Sums>
  static void dot(const float* w, const entries& z, float* out, const float* bias = nullptr) {
    numbers sum[Sums] = {}, ninth;
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      ninth.of[v] = bias != nullptr ? loaded<vector>(bias + v * floats) : vector{};
    });
    numbers& rest = Sums == row_sums ? sum[0] : ninth;
    in_parts(
        z, [&](const Index* index, const float* x, std::size_t n) __attribute__((always_inline)) {
          const std::size_t whole = n / Sums * Sums;
          walks(w, index, x, whole, sum, std::make_index_sequence<Sums / abreast<Sums>>());
          for (std::size_t k = whole; k < n; ++k) add_product(rest, w, index[k], x[k]);
        });
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      if constexpr (Sums == row_sums) {
        rules::store(out + v * floats, (sum[0].of[v] + sum[1].of[v]) + (sum[2].of[v] + sum[3].of[v]));
      } else {
        const auto pair = [&](std::size_t s) __attribute__((always_inline)) {
          return sum[s].of[v] + sum[s + 4].of[v];
        };
        rules::store(out + v * floats, ((pair(0) + pair(2)) + (pair(1) + pair(3))) + ninth.of[v]);
      }
    });
  }

  static void proximal(float* w, const entries& z, const lane_proximal& by, const float* slopes) {
    numbers slope, step, l1, l2{};
    const bool has_l2 = by.step_l2 != nullptr, of_each = by.part_of_each;
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      slope.of[v] = loaded<vector>(slopes + v * floats);
      step.of[v] = loaded<vector>(by.step + v * floats);
      l1.of[v] = loaded<vector>(by.step_l1 + v * floats);
      if (has_l2) l2.of[v] = loaded<vector>(by.step_l2 + v * floats);
    });
    const auto move_column = [&](Index j, float x) __attribute__((always_inline)) {
      float* const weights = aligned(w + place(j));
      each_vector([&](std::size_t v) __attribute__((always_inline)) {
        const vector zero{}, before = loaded<vector>(weights + v * floats);
        const vector part =
            of_each ? loaded<vector>(by.part + place(j) + v * floats) : rules::template splat<vector>(by.part[j]);
        const vector moved = before - step.of[v] * (slope.of[v] * x), t = l1.of[v] * part;
        const vector above = moved - t, below = moved + t;
        vector after = (above < zero ? zero : above) + (zero < below ? zero : below);
        if (has_l2) after /= 1.0f + l2.of[v] * part;
        rules::store(weights + v * floats, after != before ? before + (after - before) : before);
      });
    };
    in_parts(
        z, [&](const Index* index, const float* x, std::size_t n) __attribute__((always_inline)) {
          for (std::size_t k = 0; k < n; ++k) move_column(index[k], x[k]);
        });
  }

  static void update(float* w, const entries& z, const float* change) {
    std::uint32_t changed = 0;
    for (std::size_t k = 0; k < Models; ++k) changed += change[k] != 0.0f;
    if (changed == Models)
      update_models<true>(w, z, change);
    else if (changed > 0)
      update_models<false>(w, z, change);
  }

 private:
  /// Calls body(v) for each vector: unrolled before the compiler decides what stays in registers.
  template <class Body>
  [[gnu::always_inline]] static void each_vector(const Body& body) {
    in_turn(body, std::make_index_sequence<vectors>());
  }
  template <class Body, std::size_t... I>
  [[gnu::always_inline]] static void in_turn(const Body& body, std::index_sequence<I...>) {
    (body(I), ...);
  }

  template <class Body>
  [[gnu::always_inline]] static void in_parts(const entries& z, const Body& body) {
    in_parts_of<Isa>(z, body);
  }

  static std::size_t place(Index j) { return std::size_t{j} * Models; }
  static const float* aligned(const float* weights) {
    return static_cast<const float*>(__builtin_assume_aligned(weights, sizeof(vector)));
  }
  static float* aligned(float* weights) {
    return static_cast<float*>(__builtin_assume_aligned(weights, sizeof(vector)));
  }

  [[gnu::always_inline]] static void add_product(numbers& sum, const float* w, Index j, float x) {
    const float* const weights = aligned(w + place(j));
    each_vector([&](std::size_t v)
                    __attribute__((always_inline)) { sum.of[v] += loaded<vector>(weights + v * floats) * x; });
  }

  /// Adds the products of n entries, a multiple of the number of sums, to the sums.
  template <std::size_t Sums, std::size_t... Walk>
  [[gnu::always_inline]] static void walks(const float* w, const Index* index, const float* x, std::size_t n,
                                           numbers (&sum)[Sums], std::index_sequence<Walk...>) {
    (walk<Walk * abreast<Sums>>(w, index, x, n, sum, std::make_index_sequence<abreast<Sums>>()), ...);
  }
  template <std::size_t From, std::size_t Sums, std::size_t... Sum>
  [[gnu::always_inline]] static void walk(const float* w, const Index* index, const float* x, std::size_t n,
                                          numbers (&sum)[Sums], std::index_sequence<Sum...>) {
    numbers growing[abreast<Sums>];
    each_vector([&](std::size_t v)
                    __attribute__((always_inline)) { ((growing[Sum].of[v] = sum[From + Sum].of[v]), ...); });
    for (std::size_t k = From; k < n; k += Sums) {
      (add_product(growing[Sum], w, index[k + Sum], x[k + Sum]), ...);
    }
    each_vector([&](std::size_t v)
                    __attribute__((always_inline)) { ((sum[From + Sum].of[v] = growing[Sum].of[v]), ...); });
  }

  /// All: every model has a change. Otherwise -0 is added to the weights of the other models, which does not change
  /// them; their products would, for a weight of -0 or an infinite value.
  template <bool All>
  static void update_models(float* w, const entries& z, const float* change) {
    numbers by;
    typename bits_of<vector>::with_sign changed[vectors];
    each_vector([&](std::size_t v) __attribute__((always_inline)) {
      by.of[v] = loaded<vector>(change + v * floats);
      changed[v] = by.of[v] != vector{};
    });
    const vector nothing = -vector{};
    const auto update_column = [&](Index j, float x) __attribute__((always_inline)) {
      float* const weights = aligned(w + place(j));
      each_vector([&](std::size_t v) __attribute__((always_inline)) {
        const vector product = by.of[v] * x, gain = All ? product : changed[v] ? product : nothing;
        rules::store(weights + v * floats, loaded<vector>(weights + v * floats) + gain);
      });
    };
    in_parts(
        z, [&](const Index* index, const float* x, std::size_t n) __attribute__((always_inline)) {
          std::size_t k = 0;
          for (; k + updates_at_once <= n; k += updates_at_once)
            in_turn(
                [&](std::size_t e) __attribute__((always_inline)) { update_column(index[k + e], x[k + e]); },
                std::make_index_sequence<updates_at_once>());
          for (; k < n; ++k) update_column(index[k], x[k]);
        });
  }
};

}  // namespace hogwild::detail
