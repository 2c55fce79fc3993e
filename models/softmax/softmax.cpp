// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/softmax.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/models/scoring_form.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/label_tree.hpp>

#include "label_tree/leaves_option.hpp"
#include "loaded_models.hpp"

namespace hogwild {
namespace {

constexpr const char* rest_option = "one_vs_rest";  ///< in saved models: 0 or absent, or 1

bool says_rest(const saved_model& saved) {
  const auto is_rest = [](const auto& option) { return option.first == rest_option; };
  return std::ranges::any_of(saved.model_options, is_rest) && detail::saved_flag(saved, rest_option);
}

softmax checked(softmax m) {
  if (m.classes < 2) throw config_error("softmax needs at least two classes");
  return m;
}

class loaded_softmax final : public detail::loaded_general_model<softmax> {
 public:
  using loaded_general_model::loaded_general_model;

  bool scores_classes() const override { return true; }
  class_scores scores_of(const sparse_row<float>& z, std::size_t) const override {
    const std::vector<float>& scores = this->scores(z);
    const row_score said = z.classes.data() == nullptr ? model_.measured(scores.data(), z.label)
                                                       : model_.measured(scores.data(), z.classes);
    return {said.loss, model_.decision(scores.data()), scores};
  }

  bool takes_empty_lists() const override { return model_.one_vs_rest; }
  bool has_probabilities() const override { return true; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    return detail::probabilities_of(this->scores(z), model_.one_vs_rest);
  }
  std::optional<scoring_form> form() const override {
    return detail::linear_form(decision_kind::greatest, model_.one_vs_rest ? link_kind::logistic : link_kind::softmax,
                               model_.classes, columns_.size(), parameters_);
  }
};

/// `width` parameters for each column, then as many that belong to no column, or none. Throws config_error for another
/// number of parameters.
saved_model rows_to_saved(const trained_parameters& trained, std::size_t width) {
  const std::size_t weights = trained.original.size() * width;
  if (trained.values.size() != weights && trained.values.size() != weights + width) {
    throw config_error("a model of " + std::to_string(trained.original.size()) + " columns cannot have " +
                       std::to_string(trained.values.size()) + " parameters");
  }
  saved_model saved;
  saved.width = width;
  saved.weights.reserve(weights);
  for (const std::uint32_t column : trained.saved_order) {
    const auto row = trained.values.subspan(column * width, width);
    saved.weights.insert(saved.weights.end(), row.begin(), row.end());
  }
  saved.bias.assign(trained.values.begin() + static_cast<std::ptrdiff_t>(weights), trained.values.end());
  return saved;
}

class softmax_descriptor final : public descriptor_for<softmax> {
 public:
  softmax_descriptor()
      : descriptor_for({.summary = "one of several classes, and how probable each is: multinomial logistic regression",
                        .options = {word_option("class-loss", {"softmax", "one_vs_rest", "label_tree"},
                                                "softmax: probabilities whose sum is 1; one_vs_rest: a logistic loss "
                                                "for each class, against all others; label_tree: for each node of a "
                                                "tree of the classes (the model label_tree)"),
                                    detail::leaves_option()},
                        .bias_of_its_own = true}) {}

  void check(const model_options& options) const override {
    if (options.given("leaves") && !is_tree(options))
      throw config_error("--leaves is about a label tree: give --class-loss label_tree as well, or leave it out");
  }
  std::size_t epochs(const model_options& options) const override {
    return is_tree(options) ? label_tree::epochs : descriptor_for::epochs(options);
  }

  named_model make(const model_data& data, const model_options& options) const override {
    if (is_tree(options)) {
      model_options of_tree;
      if (options.given("leaves")) of_tree.set("leaves", std::string(options.text("leaves", "")));
      return descriptor_of<label_tree>().make(data, of_tree);
    }
    return checked({.features = data.features(),
                    .classes = data.classes(),
                    .bias = data.bias.value_or(false),
                    .one_vs_rest = options.text("class-loss", "softmax") == "one_vs_rest"});
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const softmax m = checked({.features = saved.columns.size(),
                               .classes = saved.width,
                               .bias = !saved.bias.empty(),
                               .one_vs_rest = says_rest(saved)});
    if (saved.labels.kind() != softmax::labels || saved.width != saved.labels.classes() ||
        saved.weights.size() != saved.columns.size() * saved.width ||
        (!saved.bias.empty() && saved.bias.size() != saved.width))
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    std::vector<float> parameters = saved.weights;
    parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
    return std::make_shared<loaded_softmax>(m, std::move(parameters), saved.columns);
  }

 private:
  static bool is_tree(const model_options& options) { return options.text("class-loss", "") == label_tree::name; }

  saved_model save_model(const softmax& m, const trained_parameters& trained) const override {
    saved_model saved = rows_to_saved(trained, m.classes);
    if (m.one_vs_rest) saved.model_options.emplace_back(rest_option, 1.0);
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<softmax>() {
  static const softmax_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
