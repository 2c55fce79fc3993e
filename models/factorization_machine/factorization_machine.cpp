// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/factorization_machine.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "factors/fm_descriptor.hpp"
#include "loaded_models.hpp"

namespace hogwild {
namespace {

class loaded_fm final : public detail::loaded_general_model<factorization_machine> {
 public:
  using loaded_general_model::loaded_general_model;

  bool has_probabilities() const override { return model_.labels == label_kind::binary; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    return {logistic{}.probability(loss_and_score(z).score)};
  }
  /// The scale of numbers goes into the parameters: s v_j . v_k is the product of factors that are sqrt(s) as large.
  std::optional<scoring_form> form() const override {
    const bool of_numbers = model_.labels == label_kind::real;
    const float scale = of_numbers ? model_.scale : 1.0f, root = std::sqrt(scale);
    const std::span<const float> all = parameters_, weights = all.subspan(model_.features * model_.width());
    scoring_form form{.decision = of_numbers ? decision_kind::number : decision_kind::sign,
                      .link = of_numbers ? link_kind::identity : link_kind::logistic,
                      .factors = model_.factors};
    for (std::size_t j = 0; j < model_.features; ++j) {
      form.weights.push_back(scale * weights[j]);
      for (const float v : all.subspan(j * model_.width(), model_.factors)) form.factor_rows.push_back(root * v);
    }
    form.intercept = {(of_numbers ? model_.mean : 0.0f) + scale * weights[model_.features]};
    return form;
  }
};

class factorization_machine_descriptor final : public detail::fm_descriptor<factorization_machine> {
 public:
  factorization_machine_descriptor()
      : fm_descriptor({.summary = "two labels or numbers, from columns and from pairs of columns",
                       .options = {detail::factors_option(factorization_machine{}.factors, "of each column")}}) {}

 private:
  std::shared_ptr<const loaded_model> loaded(const factorization_machine& m, std::vector<float> parameters,
                                             const saved_model& saved) const override {
    return std::make_shared<loaded_fm>(m, std::move(parameters), saved.columns);
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<factorization_machine>() {
  static const factorization_machine_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
