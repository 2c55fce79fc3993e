// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/text_classifier.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>

#include "factors/factor_options.hpp"
#include "loaded_models.hpp"

// Saved models hold rows without padding: those of columns by column, those of labels as the bias.

namespace hogwild {
namespace {

constexpr std::size_t most_dimensions = 65'536;

text_classifier checked(const text_classifier& m) {
  if (m.classes < 2) throw config_error("text_classifier needs at least two labels");
  if (m.dimension < 1 || m.dimension > most_dimensions) throw config_error("--dimension is a number from 1 to 65536");
  return m;
}

/// The rows that begin at `row` as they are saved.
void append_rows(const text_classifier& m, std::span<const float> values, std::size_t row, std::vector<float>& to) {
  const auto from = values.subspan(m.row_of(row), m.dimension);
  to.insert(to.end(), from.begin(), from.end());
}

class text_classifier_descriptor final : public descriptor_for<text_classifier> {
 public:
  text_classifier_descriptor()
      : descriptor_for({.summary = "labels of texts, by vectors of words and of runs of words, as fastText does it",
                        .options = {count_option("dimension", text_classifier().dimension, "numbers of a vector"),
                                    word_option("class-loss", {"softmax", "one_vs_rest"},
                                                "softmax: probabilities whose sum is 1; one_vs_rest: a logistic loss "
                                                "for each label, against all others")},
                        .no_bias = "scores of labels have no constant term: leave out --bias"}) {}

  named_model make(const model_data& data, const model_options& options) const override {
    const auto known = detail::initial_model<text_classifier>(data);
    const bool goes_on = known && (data.takes_all_groups() || data.takes_one_of({"vectors", "labels"}));
    return checked({.features = data.features(),
                    .classes = data.classes(),
                    .dimension = options.count("dimension", (goes_on ? *known : text_classifier()).dimension),
                    .one_vs_rest = options.text("class-loss", "softmax") == "one_vs_rest"});
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    const text_classifier m = checked({.features = saved.columns.size(),
                                       .classes = saved.labels.classes(),
                                       .dimension = saved.width,
                                       .one_vs_rest = detail::saved_flag(saved, "one_vs_rest")});
    if (saved.labels.kind() != text_classifier::labels || saved.weights.size() != m.features * m.dimension ||
        saved.bias.size() != m.classes * m.dimension)
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    std::vector<float> parameters(m.dim());
    for (std::size_t row = 0; row < m.features + m.classes; ++row) {
      const auto from = row < m.features ? saved.row(row)
                                         : std::span(saved.bias).subspan((row - m.features) * m.dimension, m.dimension);
      std::ranges::copy(from, parameters.begin() + static_cast<std::ptrdiff_t>(m.row_of(row)));
    }
    return std::make_shared<detail::loaded_classes<text_classifier>>(m, std::move(parameters), saved.columns);
  }

 private:
  saved_model save_model(const text_classifier& m, const trained_parameters& trained) const override {
    if (trained.values.size() != m.dim() || trained.original.size() != m.features)
      throw config_error("these parameters are not those of this text_classifier");
    saved_model saved;
    saved.model_options = {{"one_vs_rest", m.one_vs_rest ? 1.0 : 0.0}};
    saved.width = m.dimension;
    for (const std::uint32_t column : trained.saved_order) append_rows(m, trained.values, column, saved.weights);
    for (std::size_t label = 0; label < m.classes; ++label)
      append_rows(m, trained.values, m.features + label, saved.bias);
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<text_classifier>() {
  static const text_classifier_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
