// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/recommend.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>

namespace hogwild {

std::vector<recommendation> recommend(const saved_model& model, std::uint32_t user, std::size_t top,
                                      std::span<const std::uint32_t> seen) {
  if (model.model != matrix_factorization::name)
    throw input_error("a " + model.model + " model recommends nothing; matrix_factorization models do");
  const predictor scores(model);
  const auto found = std::ranges::lower_bound(model.columns, user_column(user));
  if (user > largest_rating_id || found == model.columns.end() || *found != user_column(user)) {
    throw input_error("the model does not know user " + std::to_string(user) +
                      ": there was no rating of that user to learn from");
  }
  std::vector<recommendation> all;
  std::array<std::uint32_t, 2> columns{static_cast<std::uint32_t>(found - model.columns.begin()), 0};
  constexpr std::array<float, 2> ones{1.0f, 1.0f};
  for (std::uint32_t k = 0; k < model.columns.size(); ++k) {
    if (is_user_column(model.columns[k])) continue;
    const std::uint32_t item = rating_id(model.columns[k]);
    if (std::ranges::binary_search(seen, item)) continue;
    columns[1] = k;
    all.push_back({item, scores.score({columns, ones, 0.0f})});
  }
  const auto better = [](const recommendation& a, const recommendation& b) {
    return a.score != b.score ? a.score > b.score : a.item < b.item;
  };
  const std::size_t wanted = std::min(top, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(wanted), better);
  all.resize(wanted);
  return all;
}

}  // namespace hogwild
