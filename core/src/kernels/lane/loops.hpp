// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lanes.hpp"
#include "kernels/row_rules.hpp"

// Dots and updates of models side by side. What is computed of each is what margin/loops.hpp computes, in the same
// order, so that the bits are the same. As there, an instruction set is a type of its own file.

namespace hogwild::detail {

/// Loops over the rows of so many models.
template <class Isa, std::size_t Models, class Index, class Value>
class lane_rows {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  static constexpr std::size_t floats = Models < Isa::floats ? Models : Isa::floats, vectors = Models / floats;
  using vector = std::conditional_t<floats == 4, half_lanes, std::conditional_t<floats == 8, lanes, double_lanes>>;
  /// Numbers of all models: one of each.
  struct models {
    vector of[vectors];

    explicit models() : of{} {}
    explicit models(const float* from) {
      for (std::size_t v = 0; v < vectors; ++v) of[v] = loaded<vector>(from + v * floats);
    }
  };

  /// A dot is made of eight sums, of every eighth entry each: so many of them are taken in one walk along the row.
  static constexpr std::size_t abreast = Isa::sums / vectors < width ? Isa::sums / vectors : width;

  /// The values of a row as floats, so many at once where they are not.
  static constexpr std::size_t at_once = 512;

 public:
  static void dot(const float* w, const entries& z, float* out) {
    models sum[width], rest;
    in_parts(
        z, [&](const Index* index, const float* x, std::size_t n) __attribute__((always_inline)) {
          const std::size_t whole = n / width * width;
          walks(w, index, x, whole, sum, std::make_index_sequence<width / abreast>());
          for (std::size_t k = whole; k < n; ++k) add_product(rest, w, index[k], x[k]);
        });
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto pair = [&](std::size_t s) { return sum[s].of[v] + sum[s + 4].of[v]; };
      rules::store(out + v * floats, ((pair(0) + pair(2)) + (pair(1) + pair(3))) + rest.of[v]);
    }
  }

  static void update(float* w, const entries& z, const float* change) {
    std::size_t changes = 0;
    for (std::size_t k = 0; k < Models; ++k) changes += change[k] != 0.0f;
    if (changes == Models)
      update_by<true>(w, z, models(change));
    else if (changes > 0)
      update_by<false>(w, z, models(change));
  }

 private:
  /// Calls body(index, x, n) on parts of a row: all but the last are of whole eights.
  template <class Body>
  [[gnu::always_inline]] static void in_parts(const entries& z, const Body& body) {
    if constexpr (std::is_same_v<Value, float>) {
      body(z.index, z.value, z.size);
    } else {
      alignas(64) float x[at_once];
      for (std::size_t first = 0; first < z.size; first += at_once) {
        const std::size_t n = z.size - first < at_once ? z.size - first : at_once;
        const Value* const value = z.value + first;
        std::size_t k = 0;
        for (; k + width <= n; k += width) rules::store(x + k, Isa::load(value + k));
        for (; k < n; ++k) x[k] = Isa::load_one(value + k);
        body(z.index + first, x, n);
      }
    }
  }

  static const float* weights(const float* w, Index j) {
    return static_cast<const float*>(__builtin_assume_aligned(w + std::size_t{j} * Models, sizeof(vector)));
  }
  [[gnu::always_inline]] static void add_product(models& sum, const float* w, Index j, float x) {
    const models of_column(weights(w, j));
    for (std::size_t v = 0; v < vectors; ++v) sum.of[v] += of_column.of[v] * x;
  }

  template <std::size_t... Walk>
  [[gnu::always_inline]] static void walks(const float* w, const Index* index, const float* x, std::size_t n,
                                           models (&sum)[width], std::index_sequence<Walk...>) {
    (walk<Walk * abreast>(w, index, x, n, sum, std::make_index_sequence<abreast>()), ...);
  }
  template <std::size_t First, std::size_t... Sum>
  [[gnu::always_inline]] static void walk(const float* w, const Index* index, const float* x, std::size_t n,
                                          models (&sum)[width], std::index_sequence<Sum...>) {
    for (std::size_t k = First; k < n; k += width) {
      (add_product(sum[First + Sum], w, index[k + Sum], x[k + Sum]), ...);
    }
  }

  /// All: of every model.
  template <bool All>
  static void update_by(float* w, const entries& z, const models& change) {
    typename bits_of<vector>::with_sign changes[vectors];
    for (std::size_t v = 0; v < vectors; ++v) changes[v] = change.of[v] != vector{};
    in_parts(
        z, [&](const Index* index, const float* x, std::size_t n) __attribute__((always_inline)) {
          for (std::size_t k = 0; k < n; ++k) {
            float* const at = const_cast<float*>(weights(w, index[k]));
            for (std::size_t v = 0; v < vectors; ++v) {
              const vector before = loaded<vector>(at + v * floats), after = before + change.of[v] * x[k];
              rules::store(at + v * floats, All ? after : changes[v] ? after : before);
            }
          }
        });
  }
};

template <class Isa, class Index, class Value>
struct lane_loops {
  using batch = row_batch<Index, Value>;
  using entries = typename row_rules<Isa>::template entries<Index, Value>;

  static void dots(const float* w, std::size_t lanes_of_w, const batch& rows, float* out) {
    with_models(lanes_of_w, [&]<std::size_t Models>() {
      for (std::size_t i = 0; i < rows.rows; ++i) {
        const entries z(rows, i);
        row_rules<Isa>::announce(z.index, z.size);
        row_rules<Isa>::announce(z.value, z.size);
        lane_rows<Isa, Models, Index, Value>::dot(w, z, out + i * Models);
      }
    });
  }

  static void updates(float* w, std::size_t lanes_of_w, const batch& rows, const float* change) {
    with_models(lanes_of_w, [&]<std::size_t Models>() {
      for (std::size_t i = 0; i < rows.rows; ++i)
        lane_rows<Isa, Models, Index, Value>::update(w, entries(rows, i), change + i * Models);
    });
  }

  static constexpr lane_kernels<Index, Value> table{dots, updates};

 private:
  template <class Body>
  static void with_models(std::size_t n, const Body& body) {
    if (n == 8) return body.template operator()<8>();
    if (n == 16) return body.template operator()<16>();
    if (n == 32) return body.template operator()<32>();
  }
};

}  // namespace hogwild::detail
