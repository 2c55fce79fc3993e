// SPDX-License-Identifier: Apache-2.0
#include "saved_factors.hpp"

#include <algorithm>
#include <cstddef>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/ratings.hpp>

#include "saved_options.hpp"

namespace hogwild::detail {
namespace {

/// copy(place among the parameters, place in the saved row, how many) for what belongs to a column.
template <class Copy>
void for_saved_rows(const matrix_factorization& m, std::size_t column, const Copy& copy) {
  copy(column * m.width(), std::size_t{0}, m.rank);
  if (m.bias) copy((m.users + m.items) * m.width() + column, m.rank, std::size_t{1});
}

}  // namespace

saved_model factors_to_saved(const matrix_factorization& m, std::span<const float> parameters,
                             std::span<const std::uint32_t> columns, std::span<const std::uint32_t> ranks) {
  if (parameters.size() != m.dim() || columns.size() != m.users + m.items)
    throw config_error("these parameters are not those of this factorisation");
  saved_model saved;
  saved.model_options = {{"rank", static_cast<double>(m.rank)}, {"mean", static_cast<double>(m.mean)}};
  saved.width = m.rank + (m.bias ? 1 : 0);
  saved.weights.resize(columns.size() * saved.width);
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    saved.columns.push_back(columns[ranks[k]]);
    for_saved_rows(m, ranks[k], [&](std::size_t from, std::size_t to, std::size_t count) {
      std::ranges::copy(parameters.subspan(from, count),
                        saved.weights.begin() + static_cast<std::ptrdiff_t>(k * saved.width + to));
    });
  }
  return saved;
}

void choose_factors(const saved_model& saved, model_choice& choice) {
  choice.rank = saved_count(saved, "rank", 65536);
  choice.mean = saved_number(saved, "mean");
  choice.users = static_cast<std::size_t>(std::ranges::count_if(saved.columns, is_user_column));
  choice.bias = saved.width == choice.rank + 1;
}

read_factors factors_from_saved(const matrix_factorization& m, const saved_model& saved) {
  if (saved.labels.kind() != m.labels || saved.width != m.rank + (m.bias ? 1 : 0) || !saved.bias.empty() ||
      saved.weights.size() != saved.columns.size() * saved.width)
    throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
  read_factors read{.parameters = std::vector<float>(m.dim()), .places = {}};
  std::uint32_t user = 0, item = static_cast<std::uint32_t>(m.users);
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    read.places.push_back(is_user_column(saved.columns[k]) ? user++ : item++);
    for_saved_rows(m, read.places[k], [&](std::size_t to, std::size_t from, std::size_t count) {
      std::ranges::copy(saved.row(k).subspan(from, count), read.parameters.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  return read;
}

}  // namespace hogwild::detail
