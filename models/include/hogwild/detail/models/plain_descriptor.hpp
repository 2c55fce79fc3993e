// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/error.hpp>

// Descriptors of models of which nothing needs to be said but what their own members say: the library's margin models,
// and models of programs.

namespace hogwild::detail {

/// The options that these numbers are.
std::vector<model_option> options_of(std::span<const model_number> numbers, const void* usual);
/// Gives the model what was asked for. Throws config_error for a value that does not suit.
void take_options(std::span<const model_number> numbers, const model_options& options, std::string_view name,
                  void* model);

/// A model that predicts, with its parameters.
template <model M>
class plain_loaded_model final : public loaded_model {
 public:
  plain_loaded_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns)
      : loaded_model(std::move(parameters), std::move(columns)),
        model_(m),
        scalars_(parameters_.begin(), parameters_.end()) {
    shape_.columns = columns_.size();
    shape_.original = columns_;
  }

  named_model model() const override { return model_; }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    return score_of(model_, std::span<const scalar>(scalars_), columns_.size(), z);
  }
  void require_data(const sparse_view& rows, std::string_view source) const override {
    if constexpr (requires { model_.require_data(rows, source); }) model_.require_data(rows, source);
  }
  bool has_probabilities() const override { return can_tell_probability; }
  std::vector<double> probabilities([[maybe_unused]] const sparse_row<float>& z) const override {
    if constexpr (can_tell_probability)
      return {static_cast<double>(model_.probability(margin_of(parameters_, columns_.size(), z)))};
    return {};
  }

 private:
  using scalar = parameter_of_t<M>;
  static constexpr bool can_tell_probability = margin_model<M>&& requires(const M& m) { m.probability(0.0f); };

  M model_;
  std::vector<scalar> scalars_;
  sparse_view shape_{};
};

template <model M>
class plain_descriptor final : public descriptor_for<M> {
 public:
  explicit plain_descriptor(std::string summary)
      : descriptor_for<M>({.summary = std::move(summary), .options = options_of(numbers_of<M>(), &usual())}) {}

  named_model make(const model_data&, const model_options& options) const override {
    M m{};
    take_options(numbers_of<M>(), options, model_name<M>(), &m);
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const M m = model_of_saved<M>(saved);
    return std::make_shared<plain_loaded_model<M>>(m, parameters_of_saved(m, saved), saved.columns);
  }

 private:
  static const M& usual() {
    static const M m{};
    return m;
  }

  saved_model save_model(const M& m, const trained_parameters& trained) const override {
    return saved_form_of(m, trained.values, label_map(), trained.original);
  }
};

}  // namespace hogwild::detail
