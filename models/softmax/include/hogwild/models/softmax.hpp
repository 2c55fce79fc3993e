// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/model.hpp>
#include <hogwild/models/logistic.hpp>

namespace hogwild {

/// Multinomial logistic regression on sparse rows: scores s_k = sum_j W[j][k] x_j + b_k, loss -log softmax(s)[y] for
/// class y in 0 .. classes-1. A column's weights for all classes are adjacent, and the biases follow all columns.
///
/// A row with a list Y of classes has the loss -1/|Y| sum over y in Y of log softmax(s)[y]: the target distribution is
/// uniform over its classes. With one_vs_rest, each class has a logistic loss of its own against the others: the loss
/// is the sum over k of log(1 + exp(-s_k)) for k in Y and of log(1 + exp(s_k)) for the others. (Menon, Rawat, Reddi and
/// Kumar, Multilabel reductions: what is my loss optimising?, NeurIPS 2019: pick-all-labels normalised, and
/// one-versus-all.)
struct softmax {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "softmax";
  using library_model = softmax;
  using kernel_model = softmax;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool linear = true;
  using convex = softmax;
  static constexpr bool takes_lists = true;
  static constexpr logistic loss_of_each{};  ///< of a class's score, with one_vs_rest

  std::size_t features = 0;  ///< columns that occur in the training data
  std::size_t classes = 2;   ///< at least 2
  bool bias = false;         ///< one more row of parameters, for a column that is always 1
  bool one_vs_rest = false;  ///< a logistic loss for each class instead of the cross entropy

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
    const std::vector<float>& s = scores(w, z);
    const classes_of_row given(z.label, z.classes);
    double own = 0.0, all = 0.0;
    for (const std::uint32_t y : given.all()) own += static_cast<double>(s[y]);
    if (!one_vs_rest && given.all().empty()) return 0.0;
    if (!one_vs_rest) return normalise(s) - own / static_cast<double>(given.all().size());
    for (const float x : s) all += soft_plus(static_cast<double>(x));
    return all - own;
  }

  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    std::vector<float>& p = scores(w, z);
    const classes_of_row given(z.label, z.classes);
    if (!one_vs_rest && given.all().empty()) return;
    const double log_sum = one_vs_rest ? 0.0 : normalise(p);
    for (float& s : p) {
      const double x = static_cast<double>(s);
      s = static_cast<float>(one_vs_rest ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x - log_sum));
    }
    const float part = target(given.all().size());
    for (const std::uint32_t y : given.all()) p[y] -= part;
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
  /// For `Models` models side by side: the score of class k by model m is s[k * Models + m]. Each model gets the same
  /// bits as alone.
  template <std::size_t Models = 1>
  bool derive(float* s, float label) const {
    return derive<Models>(s, classes_of_row(label).all());
  }
  template <std::size_t Models = 1>
  bool derive(float* s, std::span<const std::uint32_t> given) const {
    if (!one_vs_rest && given.empty()) return false;
    one_vs_rest ? each_probable(s, classes * Models) : all_probable<Models>(s);
    const float part = target(given.size());
    for (const std::uint32_t y : given)
      for (std::size_t m = 0; m < Models; ++m) s[y * Models + m] -= part;
    return true;
  }
  row_score measured(const float* s, float label) const { return measured(s, classes_of_row(label).all()); }
  /// The returned score is the best class.
  row_score measured(const float* s, std::span<const std::uint32_t> given) const {
    const std::size_t best = static_cast<std::size_t>(std::max_element(s, s + classes) - s);
    if (one_vs_rest) return {rest_loss(s, given), static_cast<float>(best)};
    if (given.empty()) return {0.0, static_cast<float>(best)};
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += static_cast<double>(vector_exp(s[k] - s[best]));
    double own = 0;
    for (const std::uint32_t y : given) own += static_cast<double>(s[y] - s[best]);
    return {std::log(sum) - own / static_cast<double>(given.size()), static_cast<float>(best)};
  }
  /// The threshold above which a class is predicted for the row: with one_vs_rest a probability of one half, otherwise
  /// half the probability of the best class.
  float decision(const float* s) const {
    constexpr float half_as_probable = 0.693147181f;
    return one_vs_rest ? 0.0f : *std::max_element(s, s + classes) - half_as_probable;
  }

  /// The loss of a row's classes, for records.
  std::string_view class_loss() const { return one_vs_rest ? "one_vs_rest" : "softmax"; }
  std::vector<double> hyperparameters() const { return one_vs_rest ? std::vector{1.0} : std::vector<double>{}; }

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
  /// The classes of a list, which may be empty, or the class of a single label.
  class classes_of_row {
   public:
    explicit classes_of_row(float label, std::span<const std::uint32_t> list = {})
        : one_(static_cast<std::uint32_t>(label)), list_(list) {}
    std::span<const std::uint32_t> all() const { return list_.data() == nullptr ? std::span(&one_, 1) : list_; }

   private:
    std::uint32_t one_;
    std::span<const std::uint32_t> list_;
  };

  /// The target for each class of a row with so many classes.
  float target(std::size_t given) const { return one_vs_rest ? 1.0f : 1.0f / static_cast<float>(given); }

  /// Turns scores into probabilities, whose sum is 1.
  template <std::size_t Models>
  void all_probable(float* s) const {
    const auto each = [&](const auto& change) {
      for (std::size_t k = 0; k < classes; ++k)
        for (std::size_t m = 0; m < Models; ++m) change(s[k * Models + m], m);
    };
    std::array<float, Models> top, part;
    std::array<double, Models> sum{};
    std::copy_n(s, Models, top.begin());
    each([&](float x, std::size_t m) { top[m] = top[m] < x ? x : top[m]; });
    each([&](float& x, std::size_t m) { x = vector_exp(x - top[m]); });
    each([&](float x, std::size_t m) { sum[m] += static_cast<double>(x); });
    for (std::size_t m = 0; m < Models; ++m) part[m] = static_cast<float>(1.0 / sum[m]);
    each([&](float& x, std::size_t m) { x *= part[m]; });
  }
  /// Turns each score into a probability by itself.
  static void each_probable(float* s, std::size_t scores) {
    for (std::size_t k = 0; k < scores; ++k) {
      const float small = vector_exp(-std::abs(s[k])), part = 1.0f / (1.0f + small);
      s[k] = s[k] >= 0.0f ? part : small * part;
    }
  }
  /// Takes logarithms of products of factors: each factor is at most 2, so 512 of them are far from overflowing.
  double rest_loss(const float* s, std::span<const std::uint32_t> given) const {
    double sum = 0.0;
    for (std::size_t first = 0; first < classes; first += 512) {
      double product = 1.0;
      for (std::size_t k = first; k < std::min(classes, first + 512); ++k) {
        product *= 1.0 + static_cast<double>(vector_exp(-std::abs(s[k])));
        sum += static_cast<double>(std::max(s[k], 0.0f));
      }
      sum += std::log(product);
    }
    for (const std::uint32_t y : given) sum -= static_cast<double>(s[y]);
    return sum;
  }

  static void emit_nonzero(const auto& emit, std::size_t j, float g) {
    if (g != 0.0f) emit(j, g);
  }

  /// log of the sum of exponentials, computed relative to the largest score so that nothing overflows.
  static double normalise(const std::vector<float>& s) {
    float top = s[0];
    for (const float x : s) top = std::max(top, x);
    double sum = 0;
    for (const float x : s) sum += std::exp(static_cast<double>(x - top));
    return static_cast<double>(top) + std::log(sum);
  }
};

}  // namespace hogwild
