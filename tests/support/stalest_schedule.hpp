// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/toy_data.hpp"

namespace hogwild::test {

/// Options of logistic regression by sgd, whose step is multiplied by `decay` after each epoch.
struct stale_training {
  std::size_t epochs = 1, replicas = 1;
  double step = 0.1, decay = 1.0, l2 = 0.0;
  double gain_weight = 1.0;  ///< the factor of gains before they are added
};

/// The objective by the stalest schedule that rounds allow: in every epoch each replica trains its part on the
/// parameters from the beginning of the epoch, as if it were preempted until all others have finished; then all gains
/// are added. No replica and no update can be later than that, because all replicas exchange at the end of an epoch.
inline double stalest_objective(const toy_rows& data, const stale_training& o) {
  std::vector<double> w(data.columns);
  double step = o.step;
  for (std::size_t e = 0; e < o.epochs; ++e, step *= o.decay) {
    const std::vector<double> begun = w;
    for (std::size_t k = 0; k < o.replicas; ++k) {
      std::vector<double> own = begun;
      for (std::size_t r = data.rows() * k / o.replicas; r < data.rows() * (k + 1) / o.replicas; ++r) {
        const auto label = static_cast<double>(data.label[r]);
        const double slope = -label / (1.0 + std::exp(label * planted_score(data, r, own)));
        for (double& x : own) x *= 1.0 - step * o.l2;
        for (std::size_t i = data.row_start[r]; i < data.row_start[r + 1]; ++i)
          own[data.index[i]] -= step * slope * static_cast<double>(data.value[i]);
      }
      for (std::size_t j = 0; j < w.size(); ++j) w[j] += o.gain_weight * (own[j] - begun[j]);
    }
  }
  double loss = 0.0, squares = 0.0;
  for (std::size_t r = 0; r < data.rows(); ++r)
    loss += std::log1p(std::exp(-static_cast<double>(data.label[r]) * planted_score(data, r, w)));
  for (const double x : w) squares += x * x;
  return loss / static_cast<double>(data.rows()) + 0.5 * o.l2 * squares;
}

}  // namespace hogwild::test
