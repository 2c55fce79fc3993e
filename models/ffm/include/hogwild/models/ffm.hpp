// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/detail/models/ffm_workspace.hpp>
#include <hogwild/detail/models/score_loss.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A field-aware factorization machine on rows of libffm text (formats/libffm.hpp). Each column j has factors for each
/// field, and uses those for field f in products with columns of field f (Juan and others, Field-aware factorization
/// machines for CTR prediction, 2016). With f(j) the field of j the score is
///
///   s = w0 + sum_j w_j x_j + sum_{j < k} (v_j,f(k) . v_k,f(j)) x_j x_k
///
/// and with S_f,g, the sum of x_j v_j,g over the columns j of field f,
///
///   ds/dw_j = x_j,  ds/dv_j,g = x_j (S_g,f(j) - [g = f(j)] x_j v_j,g)
///
/// An entry changes its factors for the fields of the row's other entries only. l2 applies by occurrence to what a row
/// changes, as in libffm: the row's loss is loss(s) + l2 / 2 times the squares of its entries' weights and of those
/// factors.
struct ffm {
  using scalar_type = float;
  using workspace = ffm_workspace;
  static constexpr std::string_view name = "ffm";
  static constexpr bool takes_weights = true;
  using library_model = ffm;
  using kernel_model = ffm;
  static constexpr training_defaults defaults{.step = 0.05,
                                              .decay = 0.9,
                                              .optimizer = optimizer_kind::adagrad,
                                              .batch = 1,
                                              .l2 = 2e-5,
                                              .form = l2_form::per_occurrence};

  std::size_t features = 0;                ///< columns that occur in the training data
  std::size_t fields = 0;                  ///< the largest field plus one
  std::size_t factors = 4;                 ///< > 0
  label_kind labels = label_kind::binary;  ///< binary: logistic loss; real: squared loss
  float mean = 0.0f, scale = 1.0f;  ///< for real labels: the score is mean + scale * s, its loss in units of the scale
  bool unit_rows = true;            ///< rows are scaled to length one

  /// Floats of a column: its factors for each field, padded (field_width). Padding is zero and stays zero.
  std::size_t width() const { return fields * field_width(factors); }
  std::size_t dim() const { return features * (width() + 1) + 1; }

  std::array<double, 3> hyperparameters() const {
    return {static_cast<double>(factors), static_cast<double>(fields), unit_rows ? 1.0 : 0.0};
  }
  std::array<parameter_group, 3> groups() const { return fm_groups(features, width()); }

  /// Weights and bias begin at zero.
  void init(const auto& w, const auto& random) const {
    factor_rows{features * fields, field_width(factors), factors}.init(w, random,
                                                                       0.1 / std::sqrt(static_cast<double>(factors)));
  }

  /// Throws config_error if the rows' columns have no fields, or the rows have more fields than this. The message calls
  /// the rows `source`.
  void require_data(const sparse_view& rows, std::string_view source) const;
  workspace make_workspace(const sparse_view& data, isa, std::size_t batch) const;
  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random&) const {
    space.take(k, z);
  }

  /// For example k, the squares of its entries' weights and of their factors for the fields of its other entries, to
  /// which l2 applies if the row's weight is not 0.
  double squares_touched(std::span<const float> w, const workspace& space, std::size_t k) const;

  field_arrays arrays_in(float* w) const { return arrays_with<float>(w); }
  field_arrays_of<half> half_arrays_in(float* w) const { return arrays_with<half>(w); }
  bool derive(float* s, float label) const { return (*s = score_slope(labels, scale, score_of(*s), label)) != 0.0f; }
  row_score measured(const float* s, float label) const {
    return {score_loss(labels, scale, score_of(*s), label), score_of(*s)};
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    const auto emit_one = [&](std::size_t j, float g) { emit.block(j, std::span<const float>(&g, 1)); };
    for (std::size_t k = 0; k < n; ++k) {
      const ffm_example& z = space.example(k);
      float slope = score(w, space, z);
      if (!derive(&slope, z.label)) continue;
      slope *= z.weight / static_cast<float>(n);
      if (slope == 0.0f) continue;
      emit_one(weight(features), slope);
      for (const auto& entry : z.entries) emit_one(weight(entry.column), slope * entry.x);
      for (std::size_t j = 0; j < z.entries.size(); ++j) {
        const std::span<const float> partials = space.partials(j, slope * z.entries[j].x);
        const auto emit_slots = [&](const field_run& run, std::size_t first, std::size_t last) {
          if (first < last)
            emit.block(factors_at(z.entries[j].column, run.field + first - run.slot),
                       partials.subspan(first * field_width(factors), (last - first) * field_width(factors)));
        };
        // If no other entry has this entry's field, its factors for that field are in no product: field kernels leave
        // them out, too.
        const field_entry& e = z.entries[j];
        for (const field_run& run : z.runs) {
          const std::size_t end = run.slot + run.fields;
          const bool split = e.begins && e.ends && e.slot >= run.slot && e.slot < end;
          emit_slots(run, run.slot, split ? e.slot : end);
          if (split) emit_slots(run, e.slot + 1, end);
        }
      }
    }
  }

  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k) {
      const float s = score(w, space, space.example(k));
      scores[k] = measured(&s, space.example(k).label);
    }
  }

 private:
  float score_of(float s) const { return mean + scale * s; }
  template <class Factor>
  field_arrays_of<Factor> arrays_with(float* w) const {
    float* const weights = w + features * width() * sizeof(Factor) / sizeof(float);
    return {.factors = reinterpret_cast<Factor*>(w),
            .weights = weights,
            .bias = weights + features,
            .width = field_width(factors),
            .stride = width()};
  }
  std::size_t factors_at(std::size_t column, std::size_t field) const {
    return column * width() + field * field_width(factors);
  }
  std::size_t weight(std::size_t column) const { return features * width() + column; }

  float score(const auto& w, workspace& space, const ffm_example& z) const {
    space.begin(z);
    for (std::size_t j = 0; j < z.entries.size(); ++j) {
      for (const field_run& run : z.runs) {
        const std::span<float> to = space.factors(j, run);
        w.block(factors_at(z.entries[j].column, run.field), to.size()).copy_to(to);
      }
      space.weight(j) = w[weight(z.entries[j].column)];
    }
    space.bias() = w[weight(features)];
    return space.score();
  }
};

}  // namespace hogwild
