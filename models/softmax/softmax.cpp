// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/softmax.hpp>

#include <algorithm>
#include <cmath>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

#include "loaded_general_model.hpp"
#include "saved_rows.hpp"

namespace hogwild {
namespace {

softmax checked(softmax m) {
  if (m.classes < 2) throw config_error("softmax needs at least two classes");
  return m;
}

class loaded_softmax final : public detail::loaded_general_model<softmax> {
 public:
  using loaded_general_model::loaded_general_model;

  bool has_probabilities() const override { return true; }
  std::vector<double> probabilities(const sparse_row<float>& z) const override {
    const std::vector<float>& scores = model_.scores(detail::quiet_reader{parameters_}, z);
    const double top = static_cast<double>(*std::ranges::max_element(scores));
    std::vector<double> fractions;
    double sum = 0.0;
    for (const float x : scores) sum += fractions.emplace_back(std::exp(static_cast<double>(x) - top));
    for (double& fraction : fractions) fraction /= sum;
    return fractions;
  }
};

class softmax_descriptor final : public descriptor_for<softmax> {
 public:
  softmax_descriptor()
      : descriptor_for({.summary = "one of several classes, and how probable each is: multinomial logistic regression",
                        .bias_of_its_own = true}) {}

  named_model make(const model_data& data, const model_options&) const override {
    return checked({.features = data.features(), .classes = data.classes(), .bias = data.bias.value_or(false)});
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const softmax m = checked({.features = saved.columns.size(), .classes = saved.width, .bias = !saved.bias.empty()});
    if (saved.labels.kind() != softmax::labels || saved.width != saved.labels.classes() ||
        saved.weights.size() != saved.columns.size() * saved.width ||
        (!saved.bias.empty() && saved.bias.size() != saved.width))
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    std::vector<float> parameters = saved.weights;
    parameters.insert(parameters.end(), saved.bias.begin(), saved.bias.end());
    return std::make_shared<loaded_softmax>(m, std::move(parameters), saved.columns);
  }

 private:
  saved_model save_model(const softmax& m, const trained_parameters& trained) const override {
    return detail::rows_to_saved(trained, m.classes);
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<softmax>() {
  static const softmax_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
