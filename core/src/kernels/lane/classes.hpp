// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/lane_kernels.hpp>

#include "kernels/lane/rows.hpp"
#include "kernels/lane/runs.hpp"
#include "kernels/row_rules.hpp"

// One row and models of several classes side by side: a column's weights of all classes and models are one run. For
// each model the operations and their order are those of classes/loops.hpp, so that the bits are the same.

namespace hogwild::detail {

template <class Isa, class Index, class Value>
class lane_class_rows {
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;

  /// Begins with the biases, if any.
  template <class Vector>
  static void score(const float* w, const float* bias, std::size_t n, const entries& z, float* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = bias != nullptr ? bias[i] : 0.0f;
    lane_runs<Isa, Index, Value>::template add_up<Vector>(w, n, z, out);
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
        score<floats8>(w, bias, n, z, out + i * n);
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
  /// All: every model has a step other than 0.
  template <std::size_t Models, bool L2, bool All>
  static void changes_of(float* w, const entries& z, const lane_classes& by) {
    constexpr std::size_t floats = Models < Isa::floats ? Models : Isa::floats, vectors = Models / floats;
    using vector = vector_of<floats>;
    const lane_classes of = by;  // a copy that no store below can change, for the compiler
    vector step[vectors];
    typename bits_of<vector>::with_sign moves[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
      step[v] = loaded<vector>(of.step + v * floats);
      moves[v] = step[v] != vector{};
    }
    in_parts_of<Isa>(z, [&](const Index* index, const float* x, std::size_t size) {
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
