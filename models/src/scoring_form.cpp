// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/scoring_form.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hogwild {

std::string_view name_of(link_kind link) {
  constexpr std::array<std::string_view, 5> names{"identity", "logistic", "clipped", "exponential", "softmax"};
  return names[static_cast<std::size_t>(link)];
}

std::string_view name_of(decision_kind decision) {
  constexpr std::array<std::string_view, 5> names{"number", "sign", "greatest", "mean", "vote"};
  return names[static_cast<std::size_t>(decision)];
}

namespace detail {

scoring_form linear_form(decision_kind decision, link_kind link, std::size_t outputs, std::size_t columns,
                         std::span<const float> parameters) {
  scoring_form form{.decision = decision, .link = link, .outputs = outputs};
  const auto weights = parameters.first(columns * outputs), constant = parameters.subspan(columns * outputs);
  form.weights.assign(weights.begin(), weights.end());
  form.intercept.assign(constant.begin(), constant.end());
  form.intercept.resize(outputs);
  return form;
}

std::optional<link_kind> link_like(const std::function<double(float)>& f) {
  using formula = double (*)(double);
  constexpr std::pair<link_kind, formula> formulas[] = {
      {link_kind::identity, [](double m) { return m; }},
      {link_kind::logistic, [](double m) { return 1.0 / (1.0 + std::exp(-m)); }},
      {link_kind::clipped, [](double m) { return std::clamp((m + 1.0) / 2.0, 0.0, 1.0); }},
      {link_kind::exponential, [](double m) { return std::exp(std::min(m, 30.0)); }}};
  for (const auto& [link, value] : formulas) {
    bool same = true;
    // Multiples of 1/4 are exact in single precision.
    for (int quarters = -160; quarters <= 160 && same; ++quarters) {
      const double margin = quarters / 4.0, wanted = value(margin);
      same = std::abs(f(static_cast<float>(margin)) - wanted) <= 1e-6 * std::abs(wanted);
    }
    if (same) return link;
  }
  return std::nullopt;
}

}  // namespace detail
}  // namespace hogwild
