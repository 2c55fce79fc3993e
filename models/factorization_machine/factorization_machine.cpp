// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/factorization_machine.hpp>

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
