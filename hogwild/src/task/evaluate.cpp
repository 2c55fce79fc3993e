// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/evaluate.hpp>

#include <cmath>

#include <hogwild/measures.hpp>

namespace hogwild {

measurement measure_scores(label_kind kind, double mean_loss, std::span<const float> scores,
                           std::span<const float> labels, std::span<const float> weights) {
  measurement m = measure_unsorted(kind, mean_loss, scores, labels, weights);
  if (kind == label_kind::binary) m.auc = area_under_curve(scores, labels, weights);
  return m;
}

measurement measure_unsorted(label_kind kind, double mean_loss, std::span<const float> scores,
                             std::span<const float> labels, std::span<const float> weights) {
  measurement m{.loss = mean_loss};
  row_kind rows{};
  switch (kind) {
    case label_kind::binary: {
      const auto counts = count_confusion(scores, labels, weights);
      m.accuracy = counts.accuracy();
      m.f1 = counts.f1();
      rows = row_kind::two_classes;
      break;
    }
    case label_kind::classes:
      m.accuracy = accuracy(scores, labels, weights);
      rows = row_kind::classes;
      break;
    case label_kind::real:
      m.rmse = rmse(scores, labels, weights);
      rows = row_kind::numbers;
      break;
  }
  for (const measure& own : all_measures()) {
    if (own.compute == nullptr || !own.suits(rows)) continue;
    if (const double value = own.compute(scores, labels, weights); !std::isnan(value)) m.*own.value = value;
  }
  return m;
}

measurement shared_list_counts::measure(double mean_loss) const {
  list_counts all(classes_);
  for (const list_counts& part : parts_) all.add(part);
  measurement m{.loss = mean_loss};
  for (const auto& each : all_measures())
    if (each.of_lists != nullptr) m.*each.value = each.of_lists(all);
  return m;
}

measurement measure_cut(label_kind, double mean_loss, std::span<const float> scores, std::span<const float> labels,
                        std::span<const float>) {
  double cut = 0.0;
  std::size_t nodes = 0, right = 0;
  for (std::size_t r = 0; r < scores.size(); ++r) {
    if (labels[r] < 0.0f) {
      cut += static_cast<double>(scores[r]);
    } else {
      ++nodes;
      right += scores[r] == labels[r] ? 1 : 0;
    }
  }
  measurement m{.loss = mean_loss, .cut = cut};
  if (nodes > 0) m.accuracy = static_cast<double>(right) / static_cast<double>(nodes);
  return m;
}

}  // namespace hogwild
