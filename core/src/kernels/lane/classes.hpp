// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lane/rows.hpp"
#include "kernels/row_rules.hpp"

// One row and models of several classes side by side: a column's weights of all classes and models are one run. What is
// computed of each is what classes/loops.hpp computes, in the same order, so that the bits are the same.

namespace hogwild::detail {

template <class Isa, class Index, class Value>
class lane_class_rows {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  /// So many vectors of sums stay in registers over a row.
  static constexpr std::size_t most_sums = 8;

  /// Calls body.operator()<n>() with a number from 1 to most_sums.
  template <class Body, std::size_t N = most_sums>
  static void with_number(std::size_t n, const Body& body) {
    if constexpr (N > 1)
      if (n < N) return with_number<Body, N - 1>(n, body);
    body.template operator()<N>();
  }

  template <std::size_t Sums, class Vector>
  static void add_products(const float* w, std::size_t n, const Index* index, const float* x, std::size_t size,
                           float* out) {
    constexpr std::size_t floats = sizeof(Vector) / sizeof(float);
    Vector sum[Sums];
    for (std::size_t i = 0; i < Sums; ++i) sum[i] = loaded<Vector>(out + i * floats);
    for (std::size_t e = 0; e < size; ++e) {
      const float* const column = w + index[e] * n;
      for (std::size_t i = 0; i < Sums; ++i) sum[i] += x[e] * loaded<Vector>(column + i * floats);
    }
    for (std::size_t i = 0; i < Sums; ++i) rules::store(out + i * floats, sum[i]);
  }

  /// In walks along the row, each of about as many vectors.
  template <class Vector>
  static void score(const float* w, const float* bias, std::size_t n, const entries& z, float* out) {
    constexpr std::size_t floats = sizeof(Vector) / sizeof(float);
    for (std::size_t i = 0; i < n; ++i) out[i] = bias != nullptr ? bias[i] : 0.0f;
    in_parts_of<Isa>(z, [&](const Index* index, const float* x, std::size_t size, bool) {
      for (std::size_t first = 0; first < n;) {
        const std::size_t left = (n - first) / floats, walks = (left + most_sums - 1) / most_sums;
        const std::size_t sums = (left + walks - 1) / walks;
        with_number(sums,
                    [&]<std::size_t Sums>() { add_products<Sums, Vector>(w + first, n, index, x, size, out + first); });
        first += sums * floats;
      }
    });
  }

 public:
  static void scores(const float* w, const float* bias, std::size_t n, const row_batch<Index, Value>& rows,
                     float* out) {
    // Eight models of an odd number of classes do not fill the widest vectors.
    const bool whole = n % Isa::floats == 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      if (whole)
        score<vector_of<Isa::floats>>(w, bias, n, z, out + i * n);
      else
        score<lanes>(w, bias, n, z, out + i * n);
    }
  }

  template <std::size_t Models>
  static void changes(float* w, const entries& z, const lane_classes& by) {
    bool all = true;
    for (std::size_t k = 0; k < Models; ++k) all = all && by.step[k] != 0.0f;
    if (by.left != nullptr)
      all ? changes_of<Models, true, true>(w, z, by) : changes_of<Models, true, false>(w, z, by);
    else
      all ? changes_of<Models, false, true>(w, z, by) : changes_of<Models, false, false>(w, z, by);
  }

 private:
  /// All: each model has a step.
  template <std::size_t Models, bool L2, bool All>
  static void changes_of(float* w, const entries& z, const lane_classes& by) {
    constexpr std::size_t floats = Models < Isa::floats ? Models : Isa::floats, vectors = Models / floats;
    using vector = vector_of<floats>;
    const lane_classes of = by;  // nothing that is stored below can change it
    vector step[vectors];
    typename bits_of<vector>::with_sign moves[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
      step[v] = loaded<vector>(of.step + v * floats);
      moves[v] = step[v] != vector{};
    }
    in_parts_of<Isa>(z, [&](const Index* index, const float* x, std::size_t size, bool) {
      for (std::size_t e = 0; e < size; ++e) {
        vector left[vectors];
        for (std::size_t v = 0; L2 && v < vectors; ++v)
          left[v] = loaded<vector>(of.left + std::size_t{index[e]} * Models + v * floats);
        float* weights = w + std::size_t{index[e]} * (of.classes * Models);
        const float* slope = of.slope;
        for (std::size_t c = 0; c < of.classes; ++c, weights += Models, slope += Models) {
          for (std::size_t v = 0; v < vectors; ++v) {
            const vector before = loaded<vector>(weights + v * floats);
            vector after = before - step[v] * (x[e] * loaded<vector>(slope + v * floats));
            if (L2) after *= left[v];
            rules::store(weights + v * floats, All ? after : moves[v] ? after : before);
          }
        }
      }
    });
  }
};

}  // namespace hogwild::detail
