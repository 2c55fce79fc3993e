// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "kernels/fm_rows.hpp"
#include "margin_problem.hpp"

namespace hogwild::test {

struct fm_training {
  std::uint32_t width = 8;
  bool adagrad = false;
  label_kind labels = label_kind::binary;
  double l2_rows = 0;
};

/// Random rows, initial parameters, and the result of training in double precision.
template <class Index, class Value>
class fm_problem {
 public:
  static constexpr std::size_t columns = margin_problem<Index, Value>::columns;
  static constexpr float step = 0.1f;

  fm_problem(std::mt19937_64& random, std::span<const std::size_t> lengths, const fm_training& training)
      : model{.features = columns, .width = training.width, .labels = training.labels},
        training_(training),
        rows_(random, lengths, {.adagrad = training.adagrad, .weighed = true}) {
    std::normal_distribution<float> normal(0.0f, 0.3f);
    std::uniform_real_distribution<float> positive(0.1f, 1.0f);
    for (std::size_t j = 0; j < columns * (training.width + 1) + 1; ++j) {
      weights.push_back(normal(random));
      sums.push_back(positive(random));
    }
    if (model.labels == label_kind::binary) return;
    model.mean = 3.0f;
    model.scale = 2.0f;
    for (std::size_t r = 0; r < lengths.size(); ++r) label_.push_back(3.0f + 4.0f * normal(random));
  }

  device::general_work work() {
    device::general_work work;
    static_cast<device::margin_work&>(work) = rows_.work();
    work.weights = weights.data();
    work.sums = training_.adagrad ? sums.data() : nullptr;
    if (!label_.empty()) work.label = label_.data();
    work.offset = nullptr;
    work.l2_rows = training_.l2_rows;
    const std::uint64_t factors = columns * training_.width;
    work.groups[0] = {.end = factors, .step = step, .l2 = true, .width = training_.width};
    work.groups[1] = {.begin = factors, .end = factors + columns, .step = 2 * step, .l2 = true};
    work.groups[2] = {.begin = factors + columns, .end = factors + columns + 1, .step = 3 * step};
    work.group_count = 3;
    return work;
  }

  /// The parameters after all rows, one after the other.
  std::vector<double> trained() {
    const device::general_work rows = work();
    std::vector<double> w(weights.begin(), weights.end()), sum(sums.begin(), sums.end());
    const auto descend = [&](std::size_t j, double g, std::size_t group, double decay) {
      const auto size = static_cast<double>(rows.groups[group].step);
      if (training_.adagrad) g += decay * w[j], sum[j] += g * g;
      w[j] -= size * g / (training_.adagrad ? std::sqrt(sum[j] + 1e-8) : 1.0);
      if (!training_.adagrad) w[j] /= 1.0 + size * decay;
    };
    for (std::size_t r = 0; r < rows.count; ++r) {
      const double_row z(rows, r);
      const std::size_t width = training_.width, at = columns * width, bias = at + columns;
      std::vector<double> s(width);
      double score = w[bias];
      for (std::size_t e = 0; e < z.x.size(); ++e) {
        score += w[at + z.column[e]] * z.x[e];
        for (std::size_t f = 0; f < width; ++f) {  // with each entry before it
          const double term = w[z.column[e] * width + f] * z.x[e];
          score += s[f] * term;
          s[f] += term;
        }
      }
      const double slope =
          z.weight * (model.labels == label_kind::binary
                          ? -z.label / (1.0 + std::exp(score * z.label))
                          : score - (z.label - static_cast<double>(model.mean)) / static_cast<double>(model.scale));
      for (std::size_t e = 0; e < z.x.size(); ++e) {
        const double decay = training_.l2_rows / rows.degree[z.column[e]];
        for (std::size_t f = 0; f < width; ++f) {
          const std::size_t j = z.column[e] * width + f;
          descend(j, slope * z.x[e] * (s[f] - w[j] * z.x[e]), 0, decay);
        }
        descend(at + z.column[e], slope * z.x[e], 1, decay);
      }
      descend(bias, slope, 2, 0.0);
    }
    return w;
  }

  device::fm_shape model;
  std::vector<float> weights, sums;

 private:
  fm_training training_;
  margin_problem<Index, Value> rows_;
  std::vector<float> label_;
};

}  // namespace hogwild::test
