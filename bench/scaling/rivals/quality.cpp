// SPDX-License-Identifier: Apache-2.0
#include "rivals/quality.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>

namespace hogwild::bench {
namespace {

measurement measure(const std::string& model, std::span<const float> weights, const sparse_view& rows,
                    const label_map& labels) {
  std::vector<float> scores(rows.rows()), targets(rows.rows());
  double sum = 0.0;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (r % 1024 == 0) rows.ensure(r, std::min(r + 1024, rows.rows()));
    const auto z = cursor.row(r);
    double margin = 0.0;
    for (std::size_t k = 0; k < z.size(); ++k) {
      margin += static_cast<double>(weights[z.index[k]]) * static_cast<double>(z.value[k]);
    }
    scores[r] = static_cast<float>(margin);
    targets[r] = labels.encode(rows.label[r]);
    sum += model == hinge_svm::name ? hinge_svm{}.loss(scores[r], targets[r]) : logistic{}.loss(scores[r], targets[r]);
  }
  return measure_scores(label_kind::binary, sum / static_cast<double>(rows.rows()), scores, targets);
}

std::string numbers(const char* form, double a, double b) {
  char text[160];
  std::snprintf(text, sizeof text, form, a, b);
  return text;
}

}  // namespace

model_quality measure_quality(const model_settings& settled, std::span<const float> weights, const workload& data) {
  const sparse_view train = data.train().view();
  const label_map labels = label_map::learn(label_kind::binary, train.label, data.name());
  double norm = 0.0;
  for (const float w : weights) norm += static_cast<double>(w) * static_cast<double>(w);
  model_quality q{measure(settled.model, weights, train, labels).loss + settled.l2 / 2 * norm};
  if (const auto test = data.test()) q.test_accuracy = measure(settled.model, weights, *test, labels).accuracy;
  return q;
}

std::string fault_of_quality(const std::optional<double>& objective, const std::optional<double>& test_accuracy,
                             bool same_objective, const model_settings& reference, double band, double accuracy_band) {
  if (same_objective && objective) {
    const double gap = *objective / reference.objective - 1.0;
    if (std::isfinite(gap) && gap <= band) return "";
    return numbers("its objective %.6f is worse than the serial reference's by %.2f %%", *objective, 100 * gap);
  }
  if (!test_accuracy || !reference.test_accuracy) return "it tells nothing that its quality could be evaluated by";
  if (*test_accuracy >= *reference.test_accuracy - accuracy_band) return "";
  return numbers("its test accuracy %.4f is lower than the serial reference's %.4f", *test_accuracy,
                 *reference.test_accuracy);
}

}  // namespace hogwild::bench
