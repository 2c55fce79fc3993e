// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include "stored_rows.hpp"
#include "support/random_rows.hpp"

namespace hogwild::test {

/// A row of a launch's work, in double precision.
struct double_row {
  double_row(const device::margin_work& work, std::size_t r) : label(static_cast<double>(work.label[r])) {
    const std::uint64_t first = work.start32 != nullptr ? work.start32[r] : work.start64[r];
    const std::uint64_t last = work.start32 != nullptr ? work.start32[r + 1] : work.start64[r + 1];
    for (std::uint64_t k = first; k < last; ++k) {
      column.push_back(work.index16 != nullptr ? work.index16[k] : work.index32[k]);
      x.push_back(static_cast<double>(work.value16 != nullptr ? to_float(work.value16[k]) : work.value[k]));
    }
    if (work.weight != nullptr) weight = static_cast<double>(work.weight[r]);
    if (work.offset != nullptr) offset = static_cast<double>(work.offset[r]);
  }
  std::vector<std::size_t> column;
  std::vector<double> x;
  double label, weight = 1.0, offset = 0.0;
};

/// How rows of margin models are trained, besides the rows.
struct margin_training {
  double step = 0.3, scale = 1, shrink = 1, l2_rows = 0;
  bool adagrad = false, bias = false;
  bool weighed = false;  ///< rows have weights and offsets
};

/// Random rows, initial weights, and the result of serial training in double precision.
template <class Index, class Value>
class margin_problem {
 public:
  static constexpr std::size_t columns = 300;

  /// Rows of these lengths, which are at most `columns`, each about one long; labels -1 and 1.
  margin_problem(std::mt19937_64& random, std::span<const std::size_t> lengths, const margin_training& training)
      : training_(training), rows_(random() % 2 != 0), degree_(columns) {
    std::normal_distribution<float> normal;
    std::vector<std::uint32_t> order(columns);
    std::iota(order.begin(), order.end(), 0u);
    for (const std::size_t length : lengths) {
      std::shuffle(order.begin(), order.end(), random);
      for (std::size_t k = 0; k < length; ++k) {
        const float x = normal(random) / std::sqrt(static_cast<float>(length));
        rows_.push(order[k]);
        if constexpr (sizeof(Value) == sizeof(float))
          value_.push_back(x);
        else
          value_.push_back(to_half(x));
        ++degree_[order[k]];
      }
      rows_.end_row();
      label_.push_back(random() % 2 != 0 ? 1.0f : -1.0f);
    }
    // The sum and weight of the bias have a place even without a bias; nothing may change them then.
    std::uniform_real_distribution<float> positive(0.1f, 1.0f);
    for (std::size_t r = 0; training.weighed && r < lengths.size(); ++r) {
      weight_.push_back(3.0f * positive(random));
      offset_.push_back(normal(random));
    }
    for (std::size_t j = 0; j <= columns; ++j) {
      weights.push_back(normal(random));
      sums.push_back(positive(random));
    }
  }

  std::size_t rows() const { return rows_.rows(); }

  /// All rows, on `weights` and `sums`.
  device::margin_work work() {
    device::margin_work work;
    rows_.name_in(work);
    if constexpr (sizeof(Value) == sizeof(float))
      work.value = value_.data();
    else
      work.value16 = value_.data();
    work.label = label_.data();
    if (training_.weighed) work.weight = weight_.data(), work.offset = offset_.data();
    work.degree = degree_.data();
    work.weights = weights.data();
    work.sums = training_.adagrad ? sums.data() : nullptr;
    work.columns = columns;
    work.bias = training_.bias;
    work.step = static_cast<float>(training_.step);
    work.scale = training_.scale;
    work.shrink = training_.shrink;
    work.l2_rows = training_.l2_rows;
    return work;
  }

  /// The weights after the rows of `order`, one after the other, with slope(margin, label) as the loss's derivative.
  template <class Slope>
  std::vector<double> trained(std::span<const std::size_t> order, const Slope& slope) const {
    std::vector<double> w(weights.begin(), weights.end()), sum(sums.begin(), sums.end());
    for (const std::size_t r : order) {
      const double before = training_.adagrad ? 1 : training_.scale * std::pow(training_.shrink, double(r));
      double margin = training_.bias ? w[columns] : 0;
      for (std::size_t k = rows_.begin(r); k < rows_.begin(r + 1); ++k) margin += before * w[rows_.column(k)] * x(k);
      const double y = static_cast<double>(label_[r]);
      if (training_.weighed) margin += static_cast<double>(offset_[r]);
      const double s = (training_.weighed ? static_cast<double>(weight_[r]) : 1.0) * slope(margin, y);
      const auto descend = [&](std::size_t j, double g, double a) {
        if (training_.adagrad) sum[j] += g * g;
        w[j] -= training_.step * g / (training_.adagrad ? std::sqrt(sum[j] + 1e-8) : a);
      };
      for (std::size_t k = rows_.begin(r); k < rows_.begin(r + 1); ++k) {
        const std::size_t j = rows_.column(k);
        const double decay = training_.adagrad ? training_.l2_rows / double(degree_[j]) * w[j] : 0;
        descend(j, s * x(k) + decay, before * training_.shrink);
      }
      if (training_.bias) descend(columns, s, 1);
    }
    return w;
  }
  template <class Slope>
  std::vector<double> trained(const Slope& slope) const {
    std::vector<std::size_t> order(rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return trained(order, slope);
  }

  std::vector<float> weights, sums;

 private:
  double x(std::size_t k) const { return static_cast<double>(widened(value_[k])); }

  margin_training training_;
  stored_rows<Index> rows_;
  std::vector<std::uint32_t> degree_;
  std::vector<Value> value_;
  std::vector<float> label_, weight_, offset_;
};

/// |found - expected| / |expected|.
inline double relative_error(std::span<const float> found, std::span<const double> expected) {
  double error = 0, norm = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    error += std::pow(static_cast<double>(found[j]) - expected[j], 2);
    norm += std::pow(expected[j], 2);
  }
  return std::sqrt(error / norm);
}

/// Trains a problem of so many rows by the host form, train(problem, work). Returns the distance of its weights from
/// those of training in double precision. Expects that all rows change something.
template <class Problem, class Train>
double error_of_host_form(Problem problem, std::size_t rows, const Train& train) {
  const std::vector<double> expected = problem.trained();
  std::uint64_t updates = 0;
  auto work = problem.work();
  work.updates = &updates;
  train(std::as_const(problem), work);
  EXPECT_EQ(updates, rows);
  return relative_error(problem.weights, expected);
}

/// Lengths of `rows` rows: none, one, around the width of a warp and its multiples, and others of up to 300.
inline std::vector<std::size_t> row_lengths(std::mt19937_64& random, std::size_t rows) {
  constexpr std::size_t special[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 300};
  std::vector<std::size_t> lengths;
  for (std::size_t r = 0; r < rows; ++r)
    lengths.push_back(r < std::size(special) || random() % 2 != 0 ? special[r % std::size(special)] : random() % 100);
  return lengths;
}

}  // namespace hogwild::test
