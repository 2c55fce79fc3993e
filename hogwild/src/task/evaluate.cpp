// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/evaluate.hpp>

#include <cmath>
#include <optional>

#include <hogwild/measures.hpp>

namespace hogwild {
namespace {

row_kind rows_of(label_kind kind) {
  return kind == label_kind::binary    ? row_kind::two_classes
         : kind == label_kind::classes ? row_kind::classes
                                       : row_kind::numbers;
}

measurement measure_rows(label_kind kind, double mean_loss, std::span<const float> scores,
                         std::span<const float> labels, std::span<const float> weights, bool sorts) {
  measurement m{.loss = mean_loss};
  const bool two_classes = kind == label_kind::binary;
  const row_kind rows = rows_of(kind);
  const confusion counts = two_classes ? count_confusion(scores, labels, weights) : confusion{};
  for (const measure& each : all_measures()) {
    if (!each.suits(rows) || (each.sorts && !sorts)) continue;
    std::optional<double>& value = m.*each.value;
    if (two_classes && each.of_two_classes != nullptr) {
      value = (counts.*each.of_two_classes)();
    } else if (each.of_rows != nullptr) {
      value = each.of_rows(scores, labels, weights);
    } else if (each.compute != nullptr) {
      if (const double own = each.compute(scores, labels, weights); !std::isnan(own)) value = own;
    }
  }
  return m;
}

}  // namespace

measurement measure_scores(label_kind kind, double mean_loss, std::span<const float> scores,
                           std::span<const float> labels, std::span<const float> weights) {
  return measure_rows(kind, mean_loss, scores, labels, weights, true);
}

measurement measure_unsorted(label_kind kind, double mean_loss, std::span<const float> scores,
                             std::span<const float> labels, std::span<const float> weights) {
  return measure_rows(kind, mean_loss, scores, labels, weights, false);
}

void measure_groups(label_kind kind, std::span<const float> scores, std::span<const float> labels,
                    std::span<const float> weights, std::span<const std::uint32_t> groups, measurement& into) {
  if (groups.empty()) return;
  for (const measure& each : all_measures())
    if (each.of_groups != nullptr && each.suits(rows_of(kind)))
      into.*each.value = each.of_groups(scores, labels, weights, groups);
}

void measure_forecasts(label_kind kind, const forecasts& of, std::span<const float> weights, measurement& into) {
  for (const measure& each : all_measures())
    if (each.forecast != nullptr && each.suits(rows_of(kind))) into.*each.value = each.forecast(of, weights);
}

void measure_decisions(std::span<const float> decided, std::span<const float> labels, std::span<const float> weights,
                       measurement& into) {
  const confusion counts = count_confusion(decided, labels, weights);
  for (const measure& each : all_measures())
    if (each.of_two_classes != nullptr) into.*each.value = (counts.*each.of_two_classes)();
}

measurement shared_list_counts::measure(double mean_loss) const {
  list_counts all(classes_, inverse_);
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
