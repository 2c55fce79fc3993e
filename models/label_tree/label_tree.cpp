// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/label_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>

#include "label_tree/leaves_option.hpp"
#include "loaded_models.hpp"

namespace hogwild {
namespace {

constexpr std::size_t most_leaves = std::size_t{1} << 53;  ///< in saved models

label_tree checked(const label_tree& m) {
  m.require_data({}, {});
  return m;
}

class loaded_label_tree final : public detail::loaded_workspace_model<label_tree> {
 public:
  using loaded_workspace_model::loaded_workspace_model;

  bool scores_classes() const override { return true; }
  class_scores scores_of(const sparse_row<float>& z, std::size_t most) const override {
    thread_local std::vector<float> scores;
    scores.resize(model_.classes);
    row_score said;
    with_workspace([&](label_tree::workspace& space) {
      model_.take(space, 0, z, counter_random(0, 0));
      model_.score(detail::quiet_reader<>{parameters_}, space, 1, {&said, 1}, scores, most);
    });
    return {said.loss, model_.decision(scores), scores, true};
  }

  bool takes_empty_lists() const override { return true; }
  bool has_probabilities() const override { return true; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    std::vector<double> all;
    for (const float log_probability : scores_of({z.index, z.value, 0.0f}, model_.classes).scores)
      all.push_back(std::exp(static_cast<double>(log_probability)));
    return all;
  }
};

class label_tree_descriptor final : public descriptor_for<label_tree> {
 public:
  label_tree_descriptor()
      : descriptor_for({.summary = "some of very many classes: a tree of them, in which a row looks at few",
                        .options = {detail::leaves_option()},
                        .bias_of_its_own = true}) {}

  named_model make(const model_data& data, const model_options& options) const override {
    label_tree m{.features = data.features(), .classes = data.classes()};
    m.bias = data.bias.value_or(m.bias);
    m.leaves = std::min(options.count("leaves", m.leaves), most_leaves);
    begin_as(data, options, m);
    return checked(m);
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    label_tree m{.features = saved.columns.size(), .classes = saved.labels.classes()};
    m.leaves = detail::saved_count(saved, "leaves", most_leaves);
    m.bias = detail::saved_flag(saved, "bias");
    checked(m);
    std::vector<float> parameters = saved.weights;
    parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
    if (saved.labels.kind() != label_tree::labels || saved.width != m.shape().nodes() || parameters.size() != m.dim())
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    return std::make_shared<loaded_label_tree>(m, std::move(parameters), saved.columns);
  }

 private:
  /// Weights are those of nodes of one tree.
  static void begin_as(const model_data& data, const model_options& options, label_tree& m) {
    if (data.initial == nullptr || data.initial->model != label_tree::name) return;
    const bool all = data.takes_all_groups();
    const bool weights = all || data.takes_one_of({"weights", "bias"});
    const bool order = all || data.takes_one_of({"classes.order"});
    if (weights != order)
      throw config_error("the weights of a label tree and its order of classes belong together: begin with all groups");
    if (!weights) return;
    if (!options.given("leaves")) m.leaves = detail::saved_count(*data.initial, "leaves", most_leaves);
    if (!data.bias) m.bias = detail::saved_flag(*data.initial, "bias");
  }

  saved_model save_model(const label_tree& m, const trained_parameters& trained) const override {
    if (trained.values.size() != m.dim() || trained.original.size() != m.features)
      throw config_error("these parameters are not those of this label tree");
    saved_model saved;
    saved.width = m.shape().nodes();
    saved.model_options = {{"leaves", static_cast<double>(m.leaves)}, {"bias", m.bias ? 1.0 : 0.0}};
    save_by_column(trained, saved);
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<label_tree>() {
  static const label_tree_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
