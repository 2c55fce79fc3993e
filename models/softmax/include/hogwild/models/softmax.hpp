// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/model/example.hpp>
#include <hogwild/detail/optimization/vector_math.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Multinomial logistic regression on sparse rows: scores s_k = sum_j W[j][k] x_j + b_k, loss -log softmax(s)[y] for
/// class y in 0 .. classes-1. A column's weights for all classes lie side by side, the biases behind all columns.
struct softmax {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "softmax";
  using library_model = softmax;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool linear = true;

  std::size_t features = 0;
  std::size_t classes = 2;
  bool bias = false;

  std::size_t dim() const { return (features + (bias ? 1 : 0)) * classes; }

  std::array<parameter_group, 2> groups() const {
    return {{{.name = "weights", .offset = 0, .rows = features, .width = classes},
             {.name = "bias",
              .offset = features * classes,
              .rows = bias ? 1u : 0u,
              .width = classes,
              .hot_first = false,
              .l2 = false}}};
  }

  double loss(const auto& w, const example_type& z) const {
    std::vector<float>& s = scores(w, z);
    return normalise(s) - static_cast<double>(s[static_cast<std::size_t>(z.label)]);
  }

  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    std::vector<float>& p = scores(w, z);
    const double log_sum = normalise(p);
    for (float& s : p) s = static_cast<float>(std::exp(static_cast<double>(s) - log_sum));
    p[static_cast<std::size_t>(z.label)] -= 1.0f;
    for (auto [j, x] : z) {
      for (std::size_t k = 0; k < classes; ++k) emit_nonzero(emit, j * classes + k, p[k] * x);
    }
    if (bias) {
      for (std::size_t k = 0; k < classes; ++k) emit_nonzero(emit, features * classes + k, p[k]);
    }
  }

  /// The most probable class.
  float predict(const auto& w, const example_type& z) const {
    const std::vector<float>& s = scores(w, z);
    std::size_t best = 0;
    for (std::size_t k = 1; k < classes; ++k) {
      if (s[k] > s[best]) best = k;
    }
    return static_cast<float>(best);
  }

  class_arrays arrays_in(float* w) const {
    return {.weights = w, .bias = bias ? w + features * classes : nullptr, .classes = classes};
  }
  std::size_t kernel_room() const { return classes; }
  bool derive(float* s, float label) const {
    const float top = *std::max_element(s, s + classes);
    for (std::size_t k = 0; k < classes; ++k) s[k] = vector_exp(s[k] - top);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += static_cast<double>(s[k]);
    const auto part = static_cast<float>(1.0 / sum);
    for (std::size_t k = 0; k < classes; ++k) s[k] *= part;
    s[static_cast<std::size_t>(label)] -= 1.0f;
    return true;
  }
  row_score measured(const float* s, float label) const {
    const std::size_t best = static_cast<std::size_t>(std::max_element(s, s + classes) - s);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += static_cast<double>(vector_exp(s[k] - s[best]));
    const double given = static_cast<double>(s[static_cast<std::size_t>(label)] - s[best]);
    return {std::log(sum) - given, static_cast<float>(best)};
  }

  /// Scores before normalisation, in memory that this thread's next call reuses.
  std::vector<float>& scores(const auto& w, const example_type& z) const {
    thread_local std::vector<float> s;
    s.assign(classes, 0.0f);
    for (auto [j, x] : z) {
      const auto row = w.block(j * classes, classes);
      for (std::size_t k = 0; k < classes; ++k) s[k] += row[k] * x;
    }
    if (bias) {
      const auto row = w.block(features * classes, classes);
      for (std::size_t k = 0; k < classes; ++k) s[k] += row[k];
    }
    return s;
  }

 private:
  static void emit_nonzero(const auto& emit, std::size_t j, float g) {
    if (g != 0.0f) emit(j, g);
  }

  /// log of the sum of exponentials, computed around the largest score so that nothing overflows.
  static double normalise(const std::vector<float>& s) {
    float top = s[0];
    for (const float x : s) top = std::max(top, x);
    double sum = 0;
    for (const float x : s) sum += std::exp(static_cast<double>(x - top));
    return static_cast<double>(top) + std::log(sum);
  }
};

}  // namespace hogwild
