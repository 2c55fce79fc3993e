// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>

#include <hogwild/error.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {

loaded_model::batch_scorer loaded_model::scorer(std::size_t most) const {
  return [this, said = std::vector<row_score>(most)](std::size_t k, const sparse_row<float>* z, std::size_t,
                                                     std::span<row_score> scores) mutable {
    if (z != nullptr)
      said[k] = loss_and_score(*z);
    else
      std::copy_n(said.begin(), scores.size(), scores.begin());
  };
}

predictor::predictor(const saved_model& saved)
    : loaded_(model_named(saved.model).load(saved)),
      model_(loaded_->model()),
      labels_(saved.labels),
      calibrated_(saved.calibrated) {}

predictor predictor_of(const saved_model& saved, const std::string& path) {
  try {
    return predictor(saved);
  } catch (const error& fault) {
    throw input_error(path + ": " + fault.what());
  }
}

void predictor::require_data(const sparse_view& rows, std::string_view source) const {
  if (!rows.offset.empty() && !loaded_->heeds_offsets())
    throw config_error(std::string(source) + " has offsets of rows, which are for models with a margin; a " +
                       std::string(name_of(model_)) + " has none");
  loaded_->require_data(rows, source);
}

float predictor::score(const sparse_row<float>& z) const {
  // The score does not depend on the label, which need not be one of the model's.
  sparse_row<float> unlabelled = z;
  unlabelled.label = 0.0f;
  return loaded_->loss_and_score(unlabelled).score;
}

double predictor::label(const sparse_row<float>& z) const {
  return label_of(score(z));
}

double predictor::label_of(float score) const {
  const auto margin = static_cast<double>(score);
  if (!calibrated_) return labels_.decode(margin);
  return labels_.decode(calibrated_.probability(margin) >= 0.5 ? 1.0 : -1.0);
}

double predictor::loss(const sparse_row<float>& z) const {
  return loaded_->loss_and_score(z).loss;
}

class_scores predictor::scores_of(const sparse_row<float>& z, std::size_t most) const {
  if (!scores_classes()) throw config_error("this " + std::string(name_of(model_)) + " model scores no classes");
  return loaded_->scores_of(z, std::min(most, labels_.classes()));
}

std::vector<double> predictor::probabilities(const sparse_row<float>& z) const {
  if (!has_probabilities()) throw config_error("this " + std::string(name_of(model_)) + " model has no probabilities");
  if (calibrated_) return {calibrated_.probability(static_cast<double>(score(z)))};
  return loaded_->probabilities(z);
}

}  // namespace hogwild
