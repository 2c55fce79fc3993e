// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "factor_problem.hpp"
#include "fm_problem.hpp"
#include "kernels/loss_rows.hpp"
#include "softmax_problem.hpp"

namespace hogwild::test {

/// Work that measures what `training` would train, to `sums`.
template <class Work>
device::loss_work<Work> measuring(const Work& training, std::vector<double>& sums) {
  sums.assign(device::loss_sums_of(training.count), std::nan(""));
  device::loss_work<Work> work{training};
  work.loss_sums = sums.data();
  return work;
}

/// The sums of f(row) over the rows of each sum.
template <class F>
std::vector<double> sums_of_rows(std::size_t first, std::size_t count, const F& f) {
  std::vector<double> sums(device::loss_sums_of(count));
  for (std::size_t i = 0; i < count; ++i) sums[i / device::rows_of_a_sum] += f(first + i);
  return sums;
}

inline double margin_in_double(const device::margin_work& work, const double_row& z) {
  double margin = work.bias ? static_cast<double>(work.weights[work.columns]) : 0.0;
  for (std::size_t e = 0; e < z.x.size(); ++e)
    margin += work.scale * static_cast<double>(work.weights[z.column[e]]) * z.x[e];
  return margin + z.offset;
}

inline double softmax_loss_in_double(const device::general_work& work, const device::softmax_shape& model,
                                     const double_row& z) {
  std::vector<double> s(model.classes);
  for (std::size_t k = 0; k < s.size(); ++k) {
    if (model.bias) s[k] = static_cast<double>(work.weights[model.features * model.classes + k]);
    for (std::size_t e = 0; e < z.x.size(); ++e)
      s[k] += static_cast<double>(work.weights[z.column[e] * model.classes + k]) * z.x[e];
  }
  const double top = std::ranges::max(s);
  double sum = 0.0;
  for (const double x : s) sum += std::exp(x - top);
  return z.weight * (top + std::log(sum) - s[static_cast<std::size_t>(z.label)]);
}

inline double fm_loss_in_double(const device::general_work& work, const device::fm_shape& model, const double_row& z) {
  const std::size_t width = model.width, weights = model.features * width;
  double score = static_cast<double>(work.weights[weights + model.features]);
  std::vector<double> before(width);
  for (std::size_t e = 0; e < z.x.size(); ++e) {
    score += static_cast<double>(work.weights[weights + z.column[e]]) * z.x[e];
    for (std::size_t f = 0; f < width; ++f) {  // with each entry before it
      const double term = static_cast<double>(work.weights[z.column[e] * width + f]) * z.x[e];
      score += before[f] * term;
      before[f] += term;
    }
  }
  const auto scale = static_cast<double>(model.scale), mean = static_cast<double>(model.mean);
  if (model.labels == label_kind::binary) return z.weight * std::log1p(std::exp(-z.label * score));
  const double error = (mean + scale * score - z.label) / scale;
  return z.weight * 0.5 * error * error;
}

inline double factor_loss_in_double(const device::factor_work& work, std::size_t r) {
  const rating& one = work.ratings[r];
  const std::size_t user = one.user, item = work.users + one.item, width = work.width;
  double error = static_cast<double>(work.mean) - static_cast<double>(one.value);
  for (std::size_t k = 0; k < width; ++k)
    error += static_cast<double>(work.weights[user * width + k]) * static_cast<double>(work.weights[item * width + k]);
  if (work.bias)
    error += static_cast<double>(work.weights[work.columns * width + user]) +
             static_cast<double>(work.weights[work.columns * width + item]);
  return 0.5 * error * error;
}

}  // namespace hogwild::test
