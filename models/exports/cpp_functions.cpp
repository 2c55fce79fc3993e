// SPDX-License-Identifier: Apache-2.0
#include "exports/cpp_functions.hpp"

namespace hogwild::detail {
namespace {

constexpr std::string_view find_by_number = R"(
// The place of a column by its number in the rows that the model was trained on; `columns` if it has no parameters.
inline std::size_t place_of(std::uint32_t index) {
  const auto found = std::lower_bound(column.begin(), column.end(), index);
  return found != column.end() && *found == index ? static_cast<std::size_t>(found - column.begin()) : columns;
}
)";

constexpr std::string_view find_by_name = R"(
// The index of a column, which is its place in `name`; `columns`, which has no parameters, if the model does not have it.
inline std::uint32_t column_named(std::string_view wanted) {
  const auto found = std::lower_bound(name.begin(), name.end(), wanted);
  return static_cast<std::uint32_t>(found != name.end() && *found == wanted ? found - name.begin() : name.end() - name.begin());
}

inline std::size_t place_of(std::uint32_t index) {
  return index;
}
)";

constexpr std::string_view linear_margins = R"(
// The margins of a row with `entries` entries value[i] in the columns index[i]; other columns are 0.
inline std::array<double, outputs> margins(const std::uint32_t* index, const float* value, std::size_t entries) {
  std::array<double, outputs> sum{};
  for (std::size_t k = 0; k < outputs; ++k) sum[k] = static_cast<double>(intercept[k]);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t j = place_of(index[i]);
    if (j >= columns) continue;
    for (std::size_t k = 0; k < outputs; ++k)
      sum[k] += static_cast<double>(weight[j * outputs + k]) * static_cast<double>(value[i]);
  }
  return sum;
}
)";

constexpr std::string_view factor_margins = R"(
// The margin of a row with `entries` entries value[i] in the columns index[i], each column once; other columns are 0.
inline std::array<double, outputs> margins(const std::uint32_t* index, const float* value, std::size_t entries) {
  double sum = static_cast<double>(intercept[0]), squares = 0.0;
  std::array<double, factors> sums{};
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t j = place_of(index[i]);
    if (j >= columns) continue;
    const double x = static_cast<double>(value[i]);
    sum += static_cast<double>(weight[j]) * x;
    for (std::size_t f = 0; f < factors; ++f) {
      const double v = static_cast<double>(factor[j * factors + f]) * x;
      sums[f] += v;
      squares += v * v;
    }
  }
  for (std::size_t f = 0; f < factors; ++f) sum += 0.5 * sums[f] * sums[f];
  return {{sum - 0.5 * squares}};
}
)";

/// The formula of a link, of a margin `m`.
std::string formula_of(link_kind link) {
  switch (link) {
    case link_kind::logistic:
      return "1.0 / (1.0 + std::exp(-m))";
    case link_kind::clipped:
      return "std::min(std::max((m + 1.0) / 2.0, 0.0), 1.0)";
    case link_kind::exponential:
      return "std::exp(std::min(m, 30.0))";
    case link_kind::identity:
    case link_kind::softmax:
      break;
  }
  return "m";
}

constexpr std::string_view of_row = "(const std::uint32_t* index, const float* value, std::size_t entries) {\n";

std::string cpp_function(std::string_view comment, std::string_view head, std::string_view body) {
  return "\n// " + std::string(comment) + "\ninline " + std::string(head) + std::string(of_row) + std::string(body) +
         "}\n";
}

std::string predictions_of_number(const scoring_form& form) {
  return cpp_function(
      "The predicted number.", "double predict",
      "  const double m = margins(index, value, entries)[0];\n  return " + formula_of(form.link) + ";\n");
}

std::string predictions_of_two(const scoring_form& form) {
  std::string text = cpp_function("The margin: above 0 for the larger label, label[1].", "double score",
                                  "  return margins(index, value, entries)[0];\n");
  if (form.tells_probabilities())
    text += cpp_function("The probability of the larger label.", "double probability",
                         "  const double m = score(index, value, entries);\n  return " + formula_of(form.link) + ";\n");
  return text + cpp_function("The number of the predicted class, in `label` and `label_text`.",
                             "std::size_t predicted_class", "  return score(index, value, entries) > 0.0 ? 1 : 0;\n");
}

std::string predictions_of_classes(const scoring_form& form) {
  std::string text;
  if (form.link == link_kind::softmax)
    text += cpp_function("The probability of each class.", "std::array<double, outputs> probabilities",
                         "  std::array<double, outputs> p = margins(index, value, entries);\n"
                         "  const double top = *std::max_element(p.begin(), p.end());\n"
                         "  double sum = 0.0;\n"
                         "  for (double& m : p) sum += m = std::exp(m - top);\n"
                         "  for (double& m : p) m /= sum;\n"
                         "  return p;\n");
  else if (form.tells_probabilities())
    text += cpp_function(
        "The probability of each class by itself: they need not sum to 1.", "std::array<double, outputs> probabilities",
        "  std::array<double, outputs> p = margins(index, value, entries);\n  for (double& m : p) m = " +
            formula_of(form.link) + ";\n  return p;\n");
  return text + cpp_function("The number of the predicted class, in `label` and `label_text`.",
                             "std::size_t predicted_class",
                             "  const std::array<double, outputs> m = margins(index, value, entries);\n"
                             "  return static_cast<std::size_t>(std::max_element(m.begin(), m.end()) - m.begin());\n");
}

}  // namespace

const std::string_view cpp_includes = R"(
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
)";

std::string cpp_functions(const exported_model& model) {
  const scoring_form& form = model.form;
  std::string text(model.has_names() ? find_by_name : find_by_number);
  text += form.factors > 0 ? factor_margins : linear_margins;
  if (form.decision == decision_kind::number) return text + predictions_of_number(form);
  text += form.decision == decision_kind::sign ? predictions_of_two(form) : predictions_of_classes(form);
  return text + cpp_function("The predicted label, as a number.", "double predict",
                             "  return label[predicted_class(index, value, entries)];\n");
}

}  // namespace hogwild::detail
