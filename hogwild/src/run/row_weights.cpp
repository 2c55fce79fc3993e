// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/row_weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>

#include "task/require.hpp"

namespace hogwild {

using detail::require;

namespace {

/// The label's place in the map's order.
std::size_t place_of(const label_map& labels, double label) {
  const auto values = labels.values();
  return static_cast<std::size_t>(std::ranges::lower_bound(values, label) - values.begin());
}

std::vector<double> balanced_weights(const label_map& labels, const sparse_view& training, const agreement& ranks) {
  std::vector<double> rows(labels.classes());
  for (const double label : training.label) rows[place_of(labels, label)] += 1.0;
  ranks.sum(rows);
  double all = 0.0;
  for (const double n : rows) all += n;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c] == 0.0)
      throw input_error("classes cannot be balanced, because no training row has the label " +
                        training.label.name_of(labels.values()[c]) + ": hold fewer rows back, or give weights");
    rows[c] = all / (static_cast<double>(rows.size()) * rows[c]);
  }
  return rows;
}

}  // namespace

std::vector<double> weights_of_labels(const train_options& o, const label_map& labels, const sparse_view& training,
                                      const agreement& ranks) {
  require(o.weight_positive > 0.0 && std::isfinite(o.weight_positive), "weight_positive must be positive");
  require(o.weight_positive == 1.0 || labels.kind() == label_kind::binary,
          "weight_positive weighs one of two labels: it needs a binary model");
  require(!o.weights.any() || labels.kind() != label_kind::real,
          "weights of classes are for classes; this is a regression: give weights of rows");
  require(!o.weights.balanced || o.weights.of_labels.empty(),
          "classes are either balanced or have given weights: leave out one of the two");
  require(!o.weights.any() || o.weight_positive == 1.0,
          "weight_positive and weights of classes exclude each other: leave out one of the two");
  require(!training.label.lists() || (!o.weights.any() && o.weight_positive == 1.0),
          "a row with a list of labels does not have one class: give weights of rows");
  if (o.weights.balanced) return balanced_weights(labels, training, ranks);
  if (o.weight_positive != 1.0) return {1.0, o.weight_positive};
  if (o.weights.of_labels.empty()) return {};
  std::vector<std::optional<double>> given(labels.classes());
  for (const auto& [label, weight] : o.weights.of_labels) {
    const std::string name = "the weight of label " + training.label.name_of(label);
    require(weight >= 0.0 && std::isfinite(weight),
            name + " is " + detail::to_text(weight) + "; a weight is a finite number, 0 or more");
    const std::size_t c = place_of(labels, label);
    require(c < given.size() && labels.values()[c] == label,
            "no row has the label " + training.label.name_of(label) + ", for which a weight is given: leave it out");
    require(!given[c], name + " is given twice");
    given[c] = weight;
  }
  std::vector<double> all(given.size());
  std::ranges::transform(given, all.begin(), [](const auto& weight) { return weight.value_or(1.0); });
  return all;
}

std::vector<float> row_weights(const sparse_view& rows, std::span<const double> of_labels, const label_map& labels,
                               const std::string& source, const agreement* ranks) {
  const bool weighed = !rows.weight.empty() || !of_labels.empty();
  if (ranks != nullptr)
    require(!ranks->any(weighed) || !ranks->any(!weighed),
            "some ranks have weights of rows and others have none: give all of them weights");
  if (!weighed) return {};
  require(of_labels.empty() || !rows.label.lists(),
          source +
              ": a row with a list of labels does not have one class, whose weight it could take: leave these rows "
              "out, or the weights of classes");
  std::array<double, 2> sums{0.0, static_cast<double>(rows.rows())};
  std::vector<double> counts(rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    counts[r] = static_cast<double>(rows.weight_of(r));
    if (!of_labels.empty()) counts[r] *= of_labels[place_of(labels, rows.label[r])];
    sums[0] += counts[r];
  }
  if (ranks != nullptr) ranks->sum(sums);
  if (!(sums[0] > 0.0)) throw input_error(source + ": all weights of rows are 0; give some rows a weight above 0");
  std::vector<float> all(rows.rows());
  std::ranges::transform(counts, all.begin(),
                         [by = sums[1] / sums[0]](double w) { return static_cast<float>(w * by); });
  return all;
}

}  // namespace hogwild
