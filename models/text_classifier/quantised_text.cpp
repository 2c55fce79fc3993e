// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/quantised_text.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <hogwild/detail/embeddings/row_figures.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/text_classifier.hpp>

#include "formats/table_schema.hpp"

namespace hogwild {
namespace {

/// Leaves the columns with the longest vectors, of equal ones the first.
void cut_columns(saved_model& m, std::size_t most) {
  std::vector<double> squares;
  for (std::size_t k = 0; k < m.columns.size(); ++k) squares.push_back(squares_of(m.row(k)));
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

/// Gives words by name numbers without gaps, which readers of files bound.
void number_words_anew(saved_model& m, const std::string& source) {
  if (m.schema.empty() || m.names.empty()) return;
  const table_schema schema = detail::parse_schema(m.schema, source);
  std::vector<std::uint32_t> last(schema.columns.size(), detail::rare_value);
  for (std::uint32_t& number : m.columns) {
    const std::uint32_t place = number - 1, value = place & ((1u << schema.value_bits) - 1);
    const std::size_t column = place >> schema.value_bits;
    if (column < last.size() && detail::has_values(schema.columns[column].kind) && value != detail::rare_value)
      number = place - value + ++last[column] + 1;
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
  require(saved.width > 0, "the model has vectors of no numbers");
  require(!saved.columns.empty() && saved.bias.size() == saved.labels.classes() * saved.width,
          "the model has no columns, or its labels do not suit the number of parameters");
  saved_model made = saved;
  made.state = {};
  if (how.cutoff > 0) {
    cut_columns(made, how.cutoff);
    number_words_anew(made, source);
  }
  made.quantised_weights = quantised(made.weights, made.width, how.rows);
  made.weights = made.quantised_weights.decoded();
  if (how.labels) {
    made.quantised_bias = quantised(made.bias, made.width, how.rows);
    made.bias = made.quantised_bias.decoded();
  }
  return made;
}

}  // namespace hogwild
