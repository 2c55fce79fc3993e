// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/quantised_text.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/models/text_classifier.hpp>

namespace hogwild {
namespace {

/// Leaves the columns with the longest vectors, of equal ones the first.
void cut_columns(saved_model& m, std::size_t most) {
  std::vector<double> squares;
  for (std::size_t k = 0; k < m.columns.size(); ++k) {
    const std::span<const float> row = m.row(k);
    squares.push_back(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  }
  std::vector<std::size_t> kept(squares.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::ranges::stable_sort(kept, [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });
  kept.resize(std::min(most, kept.size()));
  std::ranges::sort(kept);
  const saved_model all = m;
  m.columns.clear(), m.names.clear(), m.weights.clear();
  for (const std::size_t k : kept) {
    m.columns.push_back(all.columns[k]);
    if (!all.names.empty()) m.names.push_back(all.names[k]);
    m.weights.insert(m.weights.end(), all.row(k).begin(), all.row(k).end());
  }
}

}  // namespace

saved_model quantised_text(const saved_model& saved, const text_quantisation& how, const std::string& source) {
  const auto require = [&](bool holds, const std::string& otherwise) {
    if (!holds) throw config_error(source + ": " + otherwise);
  };
  require(saved.model == text_classifier::name, "only a text_classifier is quantised, and this is a " + saved.model);
  require(!saved.is_quantised(), "the model is quantised already: take the one that it was made of");
  require(how.rows.part >= 1 && how.rows.part <= quantised_rows::longest_part, "sub-vectors have 1 to 16 numbers");
  require(!saved.columns.empty() && saved.bias.size() == saved.labels.classes() * saved.width,
          "the model has no columns, or its labels do not suit the number of parameters");
  saved_model made = saved;
  made.state = {};
  if (how.cutoff > 0) cut_columns(made, how.cutoff);
  made.quantised_weights = quantised(made.weights, made.width, how.rows);
  made.weights = made.quantised_weights.decoded();
  if (how.labels) {
    made.quantised_bias = quantised(made.bias, made.width, how.rows);
    made.bias = made.quantised_bias.decoded();
  }
  return made;
}

}  // namespace hogwild
