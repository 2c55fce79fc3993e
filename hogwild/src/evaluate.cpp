// SPDX-License-Identifier: Apache-2.0
#include <hogwild/evaluate.hpp>

#include <hogwild/core/metrics.hpp>

namespace hogwild {

measurement measure_scores(label_kind kind, double mean_loss, std::span<const float> scores,
                           std::span<const float> labels) {
  measurement m{.loss = mean_loss};
  switch (kind) {
    case label_kind::binary: {
      const auto counts = count_confusion(scores, labels);
      m.accuracy = counts.accuracy();
      m.f1 = counts.f1();
      m.auc = area_under_curve(scores, labels);
      break;
    }
    case label_kind::classes:
      m.accuracy = accuracy(scores, labels);
      break;
    case label_kind::real:
      m.rmse = rmse(scores, labels);
      break;
  }
  return m;
}

}  // namespace hogwild
