// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>

// Several margin models of one kind that make one model: for several classes, or an ensemble.

namespace hogwild {

/// How the answers of several models are combined.
enum class answer_kind : std::uint32_t {
  one_vs_rest,  ///< each distinguishes a class from all others: the greatest margin decides the class
  mean,  ///< the mean of the probabilities if the models have them; else of the margins if there are two labels, else
         ///< of the predicted numbers
  vote   ///< the label that most of them predict; with equal votes, by the mean of the margins
};

constexpr std::string_view name_of(answer_kind kind) {
  return kind == answer_kind::one_vs_rest ? "one_vs_rest" : kind == answer_kind::vote ? "vote" : "mean";
}

namespace detail {

/// An option of a saved ensemble, 0 or 1. No number of a model has this name.
inline constexpr const char* vote_option = "ensemble.vote";

/// Combines several margin models for a row. Column j has the weights of all models side by side, beginning at j *
/// models, and their constant terms, if any, follow all columns: the layout of softmax. Any number of threads may use
/// it.
template <margin_model M>
class several_margins {
 public:
  /// Refers to the parameters.
  several_margins(const M& m, answer_kind by, std::size_t models, std::size_t columns,
                  std::span<const float> parameters)
      : model_(m), by_(by), models_(models), columns_(columns), parameters_(parameters) {}

  static constexpr bool has_probability = requires(const M& m) { m.probability(0.0f); };

  /// The margin of each model, in memory that this thread's next call reuses.
  std::span<const float> margins(const sparse_row<float>& z) const {
    thread_local std::vector<float> made;
    made.assign(models_, z.offset);
    const auto add = [&](std::size_t row, float x) {
      const float* const w = parameters_.data() + row * models_;
      for (std::size_t k = 0; k < models_; ++k) made[k] += w[k] * x;
    };
    for (const auto [j, x] : z) add(j, x);
    if (parameters_.size() > columns_ * models_) add(columns_, 1.0f);
    return made;
  }

  /// For one class against the rest, the sum of the losses, and the class. For an ensemble, the mean of the losses, and
  /// its prediction: with two labels a number whose sign is the label. NaN if a margin is not finite.
  row_score said(const sparse_row<float>& z) const {
    const std::span<const float> margin = margins(z);
    if (!std::ranges::all_of(margin, [](float m) { return std::isfinite(m); }))
      return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<float>::quiet_NaN()};
    double loss = 0.0;
    for (std::size_t k = 0; k < models_; ++k)
      loss += static_cast<double>(model_.loss(margin[k], by_ == answer_kind::one_vs_rest ? target(z, k) : z.label));
    if (by_ == answer_kind::one_vs_rest)
      return {loss, static_cast<float>(std::ranges::max_element(margin) - margin.begin())};
    return {loss / static_cast<double>(models_), static_cast<float>(predicted(margin))};
  }

  /// For one class against the rest, each class's own probability; for an ensemble, the mean probability of the larger
  /// label.
  std::vector<double> probabilities(const sparse_row<float>& z) const requires has_probability {
    const std::span<const float> margin = margins(z);
    if (by_ != answer_kind::one_vs_rest) return {mean_of(margin, probability())};
    std::vector<double> each;
    for (const float m : margin) each.push_back(static_cast<double>(model_.probability(m)));
    return each;
  }

 private:
  static float target(const sparse_row<float>& z, std::size_t k) {
    const bool own = z.classes.data() == nullptr ? z.label == static_cast<float>(k)
                                                 : std::ranges::binary_search(z.classes, static_cast<std::uint32_t>(k));
    return own ? 1.0f : -1.0f;
  }

  auto probability() const {
    return [this](float margin) { return static_cast<double>(model_.probability(margin)); };
  }

  template <class F>
  double mean_of(std::span<const float> margin, const F& f) const {
    double sum = 0.0;
    for (const float m : margin) sum += f(m);
    return sum / static_cast<double>(models_);
  }

  double predicted(std::span<const float> margin) const {
    const auto mean_margin = [&] { return mean_of(margin, [](float m) { return static_cast<double>(m); }); };
    if (labels_of(model_) != label_kind::binary)
      return mean_of(margin, [this](float m) { return static_cast<double>(prediction_of(model_, m)); });
    if (by_ == answer_kind::vote) {
      const double votes = mean_of(margin, [](float m) { return m > 0.0f ? 1.0 : -1.0; });
      return votes != 0.0 ? votes : std::copysign(0.5 / static_cast<double>(models_), mean_margin());
    }
    if constexpr (has_probability) {
      // Returned as a margin: a float distinguishes margins even if probabilities are almost 1.
      const double p = mean_of(margin, probability()), m = std::log(p) - std::log1p(-p);
      if (std::isfinite(m)) return m;
    }
    return mean_margin();
  }

  M model_;
  answer_kind by_;
  std::size_t models_, columns_;
  std::span<const float> parameters_;
};

/// How the margin models in a saved file of M are combined; nothing if there is only one.
template <margin_model M>
std::optional<answer_kind> answer_of(const saved_model& saved) {
  if (labels_of(M{}) == label_kind::binary && saved.labels.kind() == label_kind::classes)
    return answer_kind::one_vs_rest;
  for (const auto& [name, value] : saved.model_options)
    if (name == vote_option && saved.width > 1)
      return saved_flag(saved, vote_option) ? answer_kind::vote : answer_kind::mean;
  return std::nullopt;
}

/// Such models in saved form; parameters as in several_margins. Throws config_error if their number does not fit.
template <margin_model M>
saved_model saved_form_of(const M& m, answer_kind by, std::size_t models, std::span<const float> parameters,
                          const label_map& labels, std::span<const std::uint32_t> original) {
  const std::size_t weights = original.size() * models;
  if (parameters.size() != weights && parameters.size() != weights + models)
    throw config_error(std::to_string(models) + " models of " + std::to_string(original.size()) +
                       " columns cannot have " + std::to_string(parameters.size()) + " parameters");
  saved_model saved{.model = std::string(model_name<M>()), .labels = labels, .width = models};
  save_numbers(numbers_of<M>(), &m, saved);
  if (by != answer_kind::one_vs_rest)
    saved.model_options.emplace_back(vote_option, by == answer_kind::vote ? 1.0 : 0.0);
  for (const std::uint32_t position : saved_order_of(original)) {
    saved.columns.push_back(original[position]);
    const auto row = parameters.subspan(position * models, models);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  saved.bias.assign(parameters.begin() + static_cast<std::ptrdiff_t>(weights), parameters.end());
  return saved;
}

/// The model of which such a file holds several. Throws input_error if labels or sizes do not fit.
template <margin_model M>
M model_of_several(saved_model saved) {
  const bool of_classes = saved.labels.kind() == label_kind::classes;
  if (!of_classes) std::erase_if(saved.model_options, [](const auto& option) { return option.first == vote_option; });
  M m{};
  load_numbers(numbers_of<M>(), saved, &m);
  if ((of_classes ? saved.width != saved.labels.classes() : saved.labels.kind() != labels_of(m)) || saved.width == 0 ||
      saved.weights.size() != saved.columns.size() * saved.width ||
      (!saved.bias.empty() && saved.bias.size() != saved.width))
    refuse_saved_size(saved);
  return m;
}

}  // namespace detail
}  // namespace hogwild
