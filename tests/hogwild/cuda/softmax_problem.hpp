// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "kernels/softmax_rows.hpp"
#include "margin_problem.hpp"

namespace hogwild::test {

/// Random rows with classes as labels, initial weights, and the result of training in double precision.
template <class Index, class Value>
class softmax_problem {
 public:
  static constexpr std::size_t columns = margin_problem<Index, Value>::columns;
  static constexpr float step = 0.1f;

  softmax_problem(std::mt19937_64& random, std::span<const std::size_t> lengths, std::uint32_t classes, bool adagrad,
                  double l2_rows = 0)
      : model{.features = columns, .classes = classes, .bias = true},
        adagrad_(adagrad),
        rows_(random, lengths, {.l2_rows = l2_rows, .adagrad = adagrad, .weighed = true}) {
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> positive(0.1f, 1.0f);
    for (std::size_t j = 0; j < (columns + 1) * classes; ++j) {
      weights.push_back(normal(random));
      sums.push_back(positive(random));
    }
    for (std::size_t r = 0; r < lengths.size(); ++r) label_.push_back(static_cast<float>(random() % classes));
  }

  device::general_work work() {
    device::general_work work;
    static_cast<device::margin_work&>(work) = rows_.work();
    work.weights = weights.data();
    work.sums = adagrad_ ? sums.data() : nullptr;
    work.label = label_.data();
    work.offset = nullptr;
    const std::uint64_t biases = columns * model.classes;
    work.groups[0] = {.end = biases, .step = step, .l2 = true, .width = model.classes};
    work.groups[1] = {.begin = biases, .end = biases + model.classes, .step = step};
    work.group_count = 2;
    return work;
  }

  /// The weights after all rows, one after the other.
  std::vector<double> trained() {
    const device::margin_work rows = rows_.work();
    std::vector<double> w(weights.begin(), weights.end()), sum(sums.begin(), sums.end());
    const std::size_t classes = model.classes;
    for (std::size_t r = 0; r < label_.size(); ++r) {
      double_row z(rows, r);
      z.column.push_back(columns);  // the bias
      z.x.push_back(1.0);
      std::vector<double> p(classes);
      for (std::size_t e = 0; e < z.x.size(); ++e)
        for (std::size_t k = 0; k < classes; ++k) p[k] += w[z.column[e] * classes + k] * z.x[e];
      const double top = std::ranges::max(p);
      double all = 0;
      for (double& s : p) all += s = std::exp(s - top);
      for (double& s : p) s *= z.weight / all;
      p[static_cast<std::size_t>(label_[r])] -= z.weight;
      for (std::size_t e = 0; e < z.x.size(); ++e) {
        for (std::size_t k = 0; k < classes; ++k) {
          const std::size_t j = z.column[e] * classes + k;
          const double g = p[k] * z.x[e];
          sum[j] += g * g;
          w[j] -= static_cast<double>(step) * g / (adagrad_ ? std::sqrt(sum[j] + 1e-8) : 1.0);
        }
      }
    }
    return w;
  }

  device::softmax_shape model;
  std::vector<float> weights, sums;

 private:
  bool adagrad_;
  margin_problem<Index, Value> rows_;
  std::vector<float> label_;
};

}  // namespace hogwild::test
