// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

#include "quiet_reader.hpp"
#include "saved_options.hpp"
#include "saved_rows.hpp"

// What all margin models have in common: a weight for each column, and the constant term, which is the engine's, behind
// them.

namespace hogwild::detail {

/// A number that a margin model is made with.
template <class M>
struct margin_constant {
  model_option option;
  std::string saved_as;  ///< what it is called in a saved model
  float M::*value;
  std::function<bool(float)> suits;
  std::string must_be;  ///< "positive"
  std::string range;    ///< "a number above 0"
};

template <margin_model M>
class loaded_margin_model final : public loaded_model {
 public:
  loaded_margin_model(const M& m, const saved_model& saved) : loaded_model(saved.weights, saved.columns), model_(m) {
    parameters_.insert(parameters_.end(), saved.bias.begin(), saved.bias.end());
  }

  named_model model() const override { return model_; }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    const float m = margin(z);
    return {model_.loss(m, z.label), prediction_of(model_, m)};
  }
  bool has_probabilities() const override { return can_tell_probability; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    if constexpr (can_tell_probability) return {model_.probability(margin(z))};
    return {};
  }

 private:
  static constexpr bool can_tell_probability = requires(const M& m) { m.probability(0.0f); };

  float margin(const sparse_row<float>& z) const {
    const bool bias = parameters_.size() > columns_.size();
    return dot(quiet_reader{parameters_}, z) + (bias ? parameters_.back() : 0.0f) + z.offset;
  }

  M model_;
};

template <margin_model M>
class margin_descriptor final : public descriptor_for<M> {
 public:
  explicit margin_descriptor(std::string summary) : descriptor_for<M>({.summary = std::move(summary)}) {}
  margin_descriptor(std::string summary, margin_constant<M> constant)
      : descriptor_for<M>({.summary = std::move(summary), .options = {constant.option}}),
        constant_(std::move(constant)) {}

  named_model make(const model_data&, [[maybe_unused]] const model_options& options) const override {
    M m{};
    if constexpr (has_constant) {
      float& value = m.*constant_->value;
      value = static_cast<float>(options.number(constant_->option.name, static_cast<double>(value)));
      if (!std::isfinite(value) || !constant_->suits(value))
        throw config_error("the " + constant_->saved_as + " of " + std::string(M::name) + " must be " +
                           constant_->must_be);
    }
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    M m{};
    if constexpr (has_constant) {
      const auto suits = [this](double x) {
        const auto value = static_cast<float>(x);
        return std::isfinite(value) && constant_->suits(value);
      };
      m.*constant_->value = static_cast<float>(
          saved_option(saved, constant_->saved_as, suits, constant_->range + " that fits single precision"));
    }
    if (saved.labels.kind() != labels_of(m) || saved.width != 1 || saved.weights.size() != saved.columns.size() ||
        saved.bias.size() > 1)
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    return std::make_shared<loaded_margin_model<M>>(m, saved);
  }

 private:
  static constexpr bool has_constant = !std::is_empty_v<M>;

  saved_model save_model([[maybe_unused]] const M& m, const trained_parameters& trained) const override {
    saved_model saved = rows_to_saved(trained, 1);
    if constexpr (has_constant)
      saved.model_options.emplace_back(constant_->saved_as, static_cast<double>(m.*constant_->value));
    return saved;
  }

  std::optional<margin_constant<M>> constant_;
};

}  // namespace hogwild::detail
