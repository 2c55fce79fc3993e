// SPDX-License-Identifier: Apache-2.0
#include "calibrate.hpp"

#include <algorithm>
#include <utility>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/validation_split.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild::cli {
namespace {

/// Rows in the numbering of a saved model, which orders columns by their input numbers.
class renumbered_row {
 public:
  renumbered_row(const saved_model& saved, std::span<const std::uint32_t> original) : places_(original.size()) {
    for (std::size_t j = 0; j < original.size(); ++j)
      places_[j] =
          static_cast<std::uint32_t>(std::ranges::lower_bound(saved.columns, original[j]) - saved.columns.begin());
  }

  /// Valid until the next call.
  sparse_row<float> of(const sparse_row<float>& z) {
    entries_.clear();
    for (const auto [j, x] : z) entries_.emplace_back(places_[j], x);
    std::ranges::sort(entries_);
    index_.clear(), value_.clear();
    for (const auto& [j, x] : entries_) index_.push_back(j), value_.push_back(x);
    sparse_row<float> same = z;
    same.index = index_, same.value = value_;
    return same;
  }

 private:
  std::vector<std::uint32_t> places_, index_{};
  std::vector<float> value_{};
  std::vector<std::pair<std::uint32_t, float>> entries_{};
};

}  // namespace

rows_to_calibrate::rows_to_calibrate(const train_request& request, const named_model& m, const sparse_view& rows,
                                     std::span<const std::uint32_t> original, const train_options& options)
    : kind_(request.calibrate),
      rows_(options.validation ? *options.validation : rows),
      original_(original.begin(), original.end()) {
  if (labels_of(m) != label_kind::binary || request.several.one_vs_rest)
    throw config_error("--calibrate is for models of two labels: leave it out");
  labels_ = options.labels.empty() ? label_map::learn(label_kind::binary, rows.label, request.data)
                                   : declared_labels(label_kind::binary, options.labels, rows, request.data);
  if (!options.validation)
    held_ = draw_validation(rows, labels_, options.validation_fraction, options.seed);
  else
    labels_.require_known(rows_.label, "the validation data");
  bool larger = false, other = false;
  for (std::size_t r = 0; r < rows_.rows(); ++r)
    if (holds(r) && rows_.weight_of(r) > 0.0f) (labels_.encode(rows_.label[r]) > 0.0f ? larger : other) = true;
  if (!larger || !other)
    throw config_error("--calibrate: the validation rows do not have both labels; hold back more rows by --validation");
}

std::string rows_to_calibrate::calibrate(saved_model& saved) const {
  const predictor model(saved);
  const auto threads = thread_team::make(thread_team_kind::std, worker_count(), false);
  std::vector<double> of_rows(rows_.rows());
  const auto make = [&](std::size_t) {
    return [&, by_input = renumbered_row(saved, original_), said = 0.0f](
               std::size_t, const sparse_row<float>* z, std::size_t row, std::span<row_score> scores) mutable {
      if (z == nullptr)
        scores.front().score = said;
      else if (holds(row))
        said = model.score(by_input.of(*z));
    };
  };
  score_rows(rows_, *threads, 1, make,
             [&](std::size_t row, float score) { of_rows[row] = static_cast<double>(score); });
  std::vector<double> margins;
  std::vector<float> labels, weights;
  for (std::size_t r = 0; r < rows_.rows(); ++r) {
    if (!holds(r)) continue;
    margins.push_back(of_rows[r]);
    labels.push_back(labels_.encode(rows_.label[r]));
    weights.push_back(rows_.weight_of(r));
  }
  saved.calibrated = fit_calibration(kind_, margins, labels, weights);
  const calibration& by = saved.calibrated;
  const auto [least, most] = std::ranges::minmax(margins);
  if (by.probability(most) > by.probability(least)) return {};
  return "--calibrate: the larger label is no more frequent among validation rows with larger margins, so that the "
         "probabilities say little";
}

}  // namespace hogwild::cli
