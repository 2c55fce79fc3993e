// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/detail/models/score_loss.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A factorization machine of order two on sparse rows (Rendle 2010). Each column has a weight, and each pair of
/// columns the product of their factors. With f from 1 to the number of factors the score and its partials are
///
///   s = w0 + sum_j w_j x_j + 1/2 sum_f [(sum_j v_jf x_j)^2 - sum_j (v_jf x_j)^2]
///   ds/dw_j = x_j,  ds/dv_jf = x_j (sum_k v_kf x_k - v_jf x_j)
///
/// Rows of factors are padded (fm_width); the padding is zero and stays zero, because its partials are zero.
struct factorization_machine {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "factorization_machine";
  using library_model = factorization_machine;
  using kernel_model = factorization_machine;
  static constexpr training_defaults defaults{
      .step = 0.03, .decay = 0.9, .optimizer = optimizer_kind::adagrad, .l2 = 1e-5, .form = l2_form::by_degree};

  std::size_t features = 0;                ///< columns that occur in the training data
  std::size_t factors = 8;                 ///< > 0
  label_kind labels = label_kind::binary;  ///< binary: logistic loss; real: squared loss
  float mean = 0.0f, scale = 1.0f;  ///< for real labels: the score is mean + scale * s, its loss in units of the scale

  /// Floats of a column: its weight, its factors and padding.
  std::size_t width() const { return fm_width(factors); }
  std::size_t dim() const { return features * (width() + 1) + 1; }

  std::array<double, 1> hyperparameters() const { return {static_cast<double>(factors)}; }
  std::array<parameter_group, 3> groups() const { return fm_groups(features, width()); }

  /// Weights and bias begin at zero.
  void init(const auto& w, const auto& random) const {
    factor_rows{features, width(), factors}.init(w, random, 0.1 / std::sqrt(static_cast<double>(factors)));
  }

  double loss(const auto& w, const example_type& z) const { return score_loss(labels, scale, predict(w, z), z.label); }

  fm_arrays arrays_in(float* w) const { return arrays_with<float>(w); }
  fm_arrays_of<half> half_arrays_in(float* w) const { return arrays_with<half>(w); }
  std::size_t kernel_room() const { return width(); }
  /// For `Models` models side by side, with one score each. Loops are written so that compilers vectorise them.
  template <std::size_t Models = 1>
  bool derive(float* s, float label) const {
    if (labels == label_kind::binary)
      for (std::size_t m = 0; m < Models; ++m) s[m] = score_slope(label_kind::binary, scale, score_of(s[m]), label);
    else
      for (std::size_t m = 0; m < Models; ++m) s[m] = score_slope(label_kind::real, scale, score_of(s[m]), label);
    return std::any_of(s, s + Models, [](float slope) { return slope != 0.0f; });
  }
  row_score measured(const float* s, float label) const {
    const float score = score_of(*s);
    return {score_loss(labels, scale, score, label), score};
  }

  float predict(const auto& w, const example_type& z) const { return look(w, z).score; }

  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    memory& m = look(w, z);
    const float slope = score_slope(labels, scale, m.score, z.label);
    if (slope == 0.0f) return;
    emit(weight(features), slope);
    for (auto [j, x] : z)
      if (slope * x != 0.0f) emit(weight(j), slope * x);
    for (std::size_t k = 0; k < z.size(); ++k) {
      const float by = slope * z.value[k];
      if (by == 0.0f) continue;
      const std::span<float> row = m.row(k, width());
      for (std::size_t f = 0; f < row.size(); ++f) row[f] = by * (m.sums[f] - row[f]);
      emit.block(z.index[k] * width(), row);
    }
  }

 private:
  float score_of(float s) const { return mean + scale * s; }

  template <class Factor>
  fm_arrays_of<Factor> arrays_with(float* w) const {
    float* const weights = w + features * width() * sizeof(Factor) / sizeof(float);
    return {.factors = reinterpret_cast<Factor*>(w), .weights = weights, .bias = weights + features, .width = width()};
  }

  /// Intermediate results for this thread's last row: v_jf x_j for each entry j, their sums over the entries, and the
  /// sums of their squares.
  struct memory {
    std::vector<float> rows, sums, squares;
    float score = 0.0f;
    std::span<float> row(std::size_t k, std::size_t width) { return std::span(rows).subspan(k * width, width); }
  };

  std::size_t weight(std::size_t j) const { return features * width() + j; }

  memory& look(const auto& w, const example_type& z) const {
    thread_local memory m;
    m.rows.resize(z.size() * width());
    m.sums.assign(width(), 0.0f);
    m.squares.assign(width(), 0.0f);
    m.score = w[weight(features)];
    for (std::size_t k = 0; k < z.size(); ++k) {
      const float x = z.value[k];
      const std::span<float> row = m.row(k, width());
      w.block(z.index[k] * width(), width()).copy_to(row);
      m.score += w[weight(z.index[k])] * x;
      add(row.data(), x, m.sums.data(), m.squares.data(), row.size());
    }
    float pairs = 0.0f;
    for (std::size_t f = 0; f < width(); ++f) pairs += m.sums[f] * m.sums[f] - m.squares[f];
    m.score = score_of(m.score + 0.5f * pairs);
    return m;
  }
  /// The pointers do not overlap, so the compiler can vectorise.
  static void add(float* __restrict row, float x, float* __restrict sums, float* __restrict squares, std::size_t n) {
    for (std::size_t f = 0; f < n; ++f) {
      row[f] *= x;
      sums[f] += row[f];
      squares[f] += row[f] * row[f];
    }
  }
};

}  // namespace hogwild
