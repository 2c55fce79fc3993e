// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/model/row_scorer.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/detail/models/several_margins.hpp>
#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/error.hpp>

// Descriptors of models that need nothing besides their own members: the library's margin models, and models of
// programs.

namespace hogwild::detail {

/// The options for these numbers; `usual` is the model with its defaults.
std::vector<model_option> options_of(std::span<const model_number> numbers, const void* usual);
/// Sets the model's numbers from the options. Throws config_error for a value that is not allowed.
void take_options(std::span<const model_number> numbers, const model_options& options, std::string_view name,
                  void* model);

template <model M>
named_model as_named(const M& m, const model_descriptor& descriptor) {
  if constexpr (is_named<M>) {
    static_cast<void>(descriptor);
    return m;
  } else {
    return registered_model{std::make_shared<registered_object_of<M>>(m, descriptor)};
  }
}

/// The formula of a margin model's probability, or of its prediction; nothing if no link_kind is like it.
template <margin_model M>
std::optional<link_kind> link_of(const M& m) {
  if (labels_of(m) != label_kind::binary) return link_like([&](float margin) { return prediction_of(m, margin); });
  if constexpr (requires { m.probability(0.0f); })
    return link_like([&](float margin) { return static_cast<double>(m.probability(margin)); });
  return link_kind::identity;
}

/// A model that predicts, with its parameters.
template <model M>
class plain_loaded_model final : public loaded_model {
 public:
  plain_loaded_model(const M& m, std::vector<float> parameters, std::vector<std::uint32_t> columns,
                     const model_descriptor& descriptor)
      : loaded_model(std::move(parameters), std::move(columns)),
        model_(m),
        descriptor_(descriptor),
        scalars_(parameters_.begin(), parameters_.end()) {
    shape_.columns = columns_.size();
    shape_.original = columns_;
  }
  plain_loaded_model(const plain_loaded_model&) = delete;  // scorers refer to it
  plain_loaded_model& operator=(const plain_loaded_model&) = delete;

  named_model model() const override { return as_named(model_, descriptor_); }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    if constexpr (workspace_model<M>) {
      row_score said;
      row_scorer<M> score(model_, scalars_, shape_, 1);
      score(0, &z, 0, {});
      score(0, nullptr, 0, {&said, 1});
      return said;
    } else {
      return score_of(model_, std::span<const scalar>(scalars_), columns_.size(), z, counter_random(0, 0));
    }
  }
  batch_scorer scorer(std::size_t most) const override {
    const auto scorer = std::make_shared<row_scorer<M>>(model_, scalars_, shape_, most);
    return [scorer](std::size_t k, const sparse_row<float>* z, std::size_t number, std::span<row_score> scores) {
      (*scorer)(k, z, number, scores);
    };
  }
  void require_data(const sparse_view& rows, std::string_view source) const override {
    if constexpr (requires { model_.require_data(rows, source); }) model_.require_data(rows, source);
  }
  bool heeds_offsets() const override { return takes_offsets<M>(); }
  bool has_probabilities() const override { return can_tell_probability; }
  std::vector<double> probabilities([[maybe_unused]] const sparse_row<float>& z) const override {
    if constexpr (can_tell_probability)
      return {static_cast<double>(model_.probability(margin_of(parameters_, columns_.size(), z)))};
    return {};
  }
  std::optional<scoring_form> form() const override {
    if constexpr (margin_model<M>)
      if (const auto link = link_of(model_))
        return linear_form(labels_of(model_) == label_kind::binary ? decision_kind::sign : decision_kind::number, *link,
                           1, columns_.size(), parameters_);
    return std::nullopt;
  }

 private:
  using scalar = parameter_of_t<M>;
  static constexpr bool can_tell_probability = margin_model<M> && requires(const M& m) { m.probability(0.0f); };

  M model_;
  const model_descriptor& descriptor_;
  std::vector<scalar> scalars_;
  sparse_view shape_{};  ///< the columns of the rows to score
};

/// Several margin models that predict as one, with the parameters of all.
template <margin_model M>
class loaded_margins final : public loaded_model {
 public:
  loaded_margins(const M& m, answer_kind by, const saved_model& saved, std::vector<float> parameters,
                 const model_descriptor& descriptor)
      : loaded_model(std::move(parameters), saved.columns),
        model_(m),
        by_(by),
        models_(saved.width),
        descriptor_(descriptor),
        margins_(m, by, saved.width, saved.columns.size(), parameters_) {}
  loaded_margins(const loaded_margins&) = delete;  // margins read these parameters
  loaded_margins& operator=(const loaded_margins&) = delete;

  named_model model() const override { return as_named(model_, descriptor_); }
  std::size_t models() const override { return models_; }
  void require_data(const sparse_view& rows, std::string_view source) const override {
    if constexpr (requires { model_.require_data(rows, source); }) model_.require_data(rows, source);
  }
  row_score loss_and_score(const sparse_row<float>& z) const override { return margins_.said(z); }
  bool heeds_offsets() const override { return true; }
  bool scores_classes() const override { return by_ == answer_kind::one_vs_rest; }
  class_scores scores_of(const sparse_row<float>& z, std::size_t) const override {
    const row_score said = margins_.said(z);
    return {said.loss, 0.0f, margins_.margins(z)};
  }
  bool has_probabilities() const override { return several_margins<M>::has_probability && by_ != answer_kind::vote; }
  std::vector<double> probabilities([[maybe_unused]] const sparse_row<float>& z) const override {
    if constexpr (several_margins<M>::has_probability) return margins_.probabilities(z);
    return {};
  }
  std::optional<scoring_form> form() const override {
    const auto link = link_of(model_);
    if (!link) return std::nullopt;
    const decision_kind decision = by_ == answer_kind::one_vs_rest ? decision_kind::greatest
                                   : by_ == answer_kind::vote      ? decision_kind::vote
                                                                   : decision_kind::mean;
    return linear_form(decision, *link, models_, columns_.size(), parameters_);
  }

 private:
  M model_;
  answer_kind by_;
  std::size_t models_;
  const model_descriptor& descriptor_;
  several_margins<M> margins_;
};

/// The descriptor of a model that is made of its members `features` and `classes`, of numbers(), and of
/// prepare_for(data) if it has that.
template <model M>
class plain_descriptor final : public descriptor_for<M> {
 public:
  explicit plain_descriptor(std::string summary, model_input input = model_input::rows)
      : descriptor_for<M>({.summary = std::move(summary),
                           .input = input,
                           .options = options_of(numbers_of<M>(), &usual()),
                           .no_bias = margin_model<M> ? std::string()
                                                      : "a constant term of " + std::string(model_name<M>()) +
                                                            " is its own: leave out --bias"}) {}

  named_model make(const model_data& data, const model_options& options) const override {
    M m{};
    take_options(numbers_of<M>(), options, model_name<M>(), &m);
    if constexpr (requires { m.features = data.features(); }) m.features = data.features();
    if constexpr (requires { m.classes = data.classes(); })
      if (labels_of(m) == label_kind::classes) m.classes = data.classes();
    if constexpr (requires { m.prepare_for(data); }) m.prepare_for(data);
    return as_named(m, *this);
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    if constexpr (margin_model<M>) {
      if (const auto by = answer_of<M>(saved)) {
        std::vector<float> parameters = saved.weights;
        parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
        return std::make_shared<loaded_margins<M>>(model_of_several<M>(saved), *by, saved, std::move(parameters),
                                                   *this);
      }
    }
    const M m = model_of_saved<M>(saved);
    return std::make_shared<plain_loaded_model<M>>(m, parameters_of_saved(m, saved), saved.columns, *this);
  }

 private:
  static const M& usual() {
    static const M m{};
    return m;
  }

  saved_model save_model(const M& m, const trained_parameters& trained) const override {
    return saved_form_of(m, trained.values, trained.labels, trained.original);
  }
};

}  // namespace hogwild::detail
