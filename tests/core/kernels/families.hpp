// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>

#include "harness.hpp"

// Models whose rows are trained by row kernels, alone or side by side: where their parameters are, and their formulas
// in double. Parameters of a model are one array, in the model's order.

namespace hogwild::test {

/// How a row changes models side by side. Without `sums` by sgd.
struct row_together {
  float *w, *sums, *room;
  const float *slope, *step, *l2;
};

/// Linear models of several classes (models/softmax.hpp).
struct class_family {
  using arrays = class_arrays;
  /// Whether kernels for models side by side know adagrad, and change biases.
  static constexpr bool adagrad_together = false, biases_together = false;

  std::size_t columns, classes;
  bool has_bias;

  /// Families whose last vector overlaps the one before it or does not, with one block of vectors and with several.
  static std::vector<class_family> all(std::size_t columns) {
    std::vector<class_family> made;
    for (const std::size_t classes : {1u, 2u, 3u, 7u, 8u, 9u, 10u, 13u, 16u, 20u, 31u, 32u, 33u, 34u, 40u, 41u, 100u})
      for (const bool bias : {false, true}) made.push_back({columns, classes, bias});
    return made;
  }
  std::string name() const { return std::to_string(classes) + " classes" + (has_bias ? ", bias" : ""); }

  std::size_t scores() const { return classes; }
  std::size_t biases() const { return has_bias ? classes : 0; }
  std::size_t parameters() const { return columns * classes + biases(); }
  std::size_t room() const { return classes; }
  arrays in(float* w, std::size_t models = 1) const {
    return {w, has_bias ? w + columns * classes * models : nullptr, classes};
  }
  void pad(std::vector<float>&) const {}

  template <class Row>
  std::vector<double> score(const std::vector<double>& w, const Row& z) const {
    std::vector<double> s(classes);
    if (has_bias) std::copy(w.end() - static_cast<std::ptrdiff_t>(classes), w.end(), s.begin());
    for (const auto& [j, x] : z)
      for (std::size_t k = 0; k < classes; ++k) s[k] += w[j * classes + k] * x;
    return s;
  }
  template <class Row>
  void train(std::vector<double>& w, std::vector<double>& sums, const Row& z, const std::vector<double>& slope,
             const exact_rule& rule, const std::vector<double>& l2) const {
    for (const auto& [j, x] : z)
      for (std::size_t k = 0; k < classes; ++k)
        rule.change(w[j * classes + k], sums[j * classes + k], slope[k] * x, l2[j]);
    for (std::size_t k = 0; k < biases(); ++k)
      rule.change(w[columns * classes + k], sums[columns * classes + k], slope[k]);
  }

  template <class Index, class Value>
  void score_together(isa set, std::size_t models, const row_batch<Index, Value>& rows, float* w, float*,
                      float* out) const {
    lane_kernels_of<Index, Value>(set).scores(w, in(w, models).bias, classes * models, rows, out);
  }
  template <class Index, class Value>
  void change_together(isa set, std::size_t models, const row_batch<Index, Value>& row, const row_together& by) const {
    lane_kernels_of<Index, Value>(set).class_changes(by.w, models, row, {by.slope, by.step, by.l2, classes});
  }
};

/// Factorization machines (models/factorization_machine.hpp); the last factors of each column are padding.
struct fm_family {
  using arrays = fm_arrays;
  static constexpr bool adagrad_together = true, biases_together = true;

  std::size_t columns, width, padding;

  static std::vector<fm_family> all(std::size_t columns) {
    std::vector<fm_family> made;
    for (const std::size_t width : {4u, 8u, 16u, 24u, 32u, 40u, 64u})
      for (const std::size_t padding : {0u, 3u}) made.push_back({columns, width, padding});
    return made;
  }
  std::string name() const { return std::to_string(width) + " factors, padding " + std::to_string(padding); }

  std::size_t scores() const { return 1; }
  std::size_t biases() const { return 1; }
  std::size_t parameters() const { return columns * (width + 1) + 1; }
  std::size_t room() const { return width; }
  arrays in(float* w, std::size_t models = 1) const {
    return {w, w + columns * width * models, w + columns * (width + 1) * models, width};
  }
  void pad(std::vector<float>& w) const {
    for (std::size_t j = 1; j <= columns; ++j) std::fill_n(&w[j * width - padding], padding, 0.0f);
  }

  /// The sum over a row, for each factor.
  template <class Row>
  std::vector<double> sums_of(const std::vector<double>& w, const Row& z) const {
    std::vector<double> sum(width);
    for (const auto& [j, x] : z)
      for (std::size_t f = 0; f < width; ++f) sum[f] += w[j * width + f] * x;
    return sum;
  }
  template <class Row>
  std::vector<double> score(const std::vector<double>& w, const Row& z) const {
    double linear = w.back(), pairs = 0;
    for (const double s : sums_of(w, z)) pairs += s * s;
    for (const auto& [j, x] : z) {
      linear += w[columns * width + j] * x;
      for (std::size_t f = 0; f < width; ++f) pairs -= std::pow(w[j * width + f] * x, 2);
    }
    return {linear + pairs / 2};
  }
  template <class Row>
  void train(std::vector<double>& w, std::vector<double>& sums, const Row& z, const std::vector<double>& slope,
             const exact_rule& rule, const std::vector<double>& l2) const {
    const std::vector<double> sum = sums_of(w, z);
    for (const auto& [j, x] : z) {
      for (std::size_t f = 0; f < width; ++f) {
        const std::size_t at = j * width + f;
        rule.change(w[at], sums[at], slope[0] * x * (sum[f] - x * w[at]), l2[j]);
      }
      rule.change(w[columns * width + j], sums[columns * width + j], slope[0] * x, l2[j]);
    }
    rule.change(w.back(), sums.back(), slope[0]);
  }

  template <class Index, class Value>
  void score_together(isa set, std::size_t models, const row_batch<Index, Value>& rows, float* w, float* room,
                      float* out) const {
    lane_kernels_of<Index, Value>(set).fm_scores(in(w, models), models, rows, room, out);
  }
  template <class Index, class Value>
  void change_together(isa set, std::size_t models, const row_batch<Index, Value>& row, const row_together& by) const {
    lane_kernels_of<Index, Value>(set).fm_changes(models, row,
                                                  {.to = in(by.w, models),
                                                   .sums = by.sums != nullptr ? in(by.sums, models) : arrays{},
                                                   .room = by.room,
                                                   .slope = by.slope,
                                                   .step = by.step,
                                                   .l2 = by.l2});
  }
};

/// A family on rows of one kind; all of them.
template <class Family, class I, class V>
struct family_on {
  using family = Family;
  using index = I;
  using value = V;
};
using all_families =
    testing::Types<family_on<class_family, std::uint32_t, float>, family_on<class_family, std::uint16_t, float>,
                   family_on<class_family, std::uint32_t, half>, family_on<class_family, std::uint16_t, half>,
                   family_on<fm_family, std::uint32_t, float>, family_on<fm_family, std::uint16_t, float>,
                   family_on<fm_family, std::uint32_t, half>, family_on<fm_family, std::uint16_t, half>>;

}  // namespace hogwild::test
