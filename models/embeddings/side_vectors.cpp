// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/side_vectors.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/embeddings/pair_model.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>

#include "embeddings/pair_descriptor.hpp"

namespace hogwild {
namespace {

const pair_shape* pairs_in(const named_model& m) {
  return std::visit(
      [](const auto& concrete) -> const pair_shape* {
        if constexpr (std::derived_from<std::decay_t<decltype(concrete)>, pair_shape>) return &concrete;
        return nullptr;
      },
      m);
}

named_model without_parts(const named_model& m) {
  return std::visit(
      [](auto concrete) -> named_model {
        if constexpr (std::derived_from<decltype(concrete), pair_shape>) concrete.parts = 0;
        return concrete;
      },
      m);
}

/// The numbers of features by their names, those of items behind those of users.
std::map<std::pair<bool, std::string_view>, std::size_t> numbers_of_names(const rating_names& names) {
  using named = std::pair<bool, std::string_view>;
  std::map<named, std::size_t> numbers;
  for (std::size_t k = 0; k < names.users.size(); ++k) numbers.emplace(named(true, names.users[k]), k);
  for (std::size_t k = 0; k < names.items.size(); ++k)
    numbers.emplace(named(false, names.items[k]), names.users.size() + k);
  return numbers;
}

bool is_taken(std::span<const std::string> groups, std::string_view name) {
  return groups.empty() || std::ranges::find(groups, name) != groups.end();
}

/// Copies the rows of features that both have; returns how many numbers.
std::size_t take_features(const saved_model& saved, std::span<const float> from, const pair_shape& m,
                          const rating_names& names, std::span<const std::string> groups, std::span<float> parameters) {
  const bool rows = is_taken(groups, "features"), biases = is_taken(groups, "feature_bias") && m.bias;
  const auto theirs = side_features_of(saved);
  if (!theirs) {
    if (!groups.empty() && (rows || biases))
      throw config_error("the saved " + saved.model + " model has no group 'features': name the groups to begin with");
    return 0;
  }
  const std::size_t factors = detail::saved_count(saved, "rank", detail::most_factors);
  if (rows && factors != m.factors)
    throw config_error("the group 'features' has rows of " + std::to_string(m.factors) +
                       " factors, that of the saved model of " + std::to_string(factors) +
                       ": ask for as many factors, or name the groups to begin with");
  const auto there = numbers_of_names(*theirs);
  std::size_t taken = 0;
  for (const auto& [name, part] : numbers_of_names(names)) {
    const auto found = there.find(name);
    if (found == there.end()) continue;
    const std::span<const float> row = from.subspan(found->second * saved.width, saved.width);
    if (rows) std::ranges::copy(row.first(m.factors), parameters.subspan(m.part_row(part)).begin());
    if (rows) taken += m.width();
    if (biases && row.size() > factors) parameters[m.item_bias(m.items + part)] = row.back(), ++taken;
  }
  return taken;
}

}  // namespace

bool has_features(const named_model& m) {
  const pair_shape* const pairs = pairs_in(m);
  return pairs != nullptr && pairs->parts > 0;
}

void compose_features(saved_model& saved, const sparse_view& rows, const rating_names& names) {
  const std::size_t columns = saved.columns.size(), width = saved.width;
  const column_parts features = parts_of(rows);
  if (!detail::has_parts_apart(saved) || features.start.size() != columns + 1 || rows.original.size() != columns ||
      features.parts * width != saved.bias.size() || names.users.size() + names.items.size() != features.parts)
    throw config_error(
        "the features are not those that the model was trained with: give the rows that it was trained on");
  const pair_parts of(features, columns, detail::features_alone_in(saved));
  const column_numbering numbering(rows.original);
  std::vector<std::size_t> place_of(columns);  // among the saved rows
  for (std::size_t k = 0; k < columns; ++k) place_of[numbering.position(saved.columns[k])] = k;
  std::vector<float> sums(columns * width);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::span<float> sum = std::span(sums).subspan(place_of[column] * width, width);
    of.for_terms(column, [&](std::size_t row, float weight) {
      const std::span<const float> term =
          row < columns ? saved.row(place_of[row])
                        : std::span<const float>(saved.bias).subspan((row - columns) * width, width);
      for (std::size_t k = 0; k < width; ++k) sum[k] += weight * term[k];
    });
  }
  saved.weights = std::move(sums);
  detail::say_composed(saved);
  keep_side_features(names, saved);
}

std::size_t begin_with_features(const saved_model& saved, const named_model& m, const sparse_view& rows,
                                const rating_names& names, std::span<const std::string> groups,
                                std::span<float> parameters, const saved_state::array* state) {
  const pair_shape& shape = *pairs_in(m);
  const pair_shape plain = shape.without_parts();
  const pair_parts of(shape.features_of(rows), shape.users + shape.items, shape.features_alone);
  std::size_t taken =
      take_features(saved, state == nullptr ? saved.bias : state->bias, shape, names, groups, parameters);

  // The vectors of users and items as a model without features has them. What that begins with takes their place.
  std::vector<std::string> of_members;
  for (const std::string name : {"users", "items", "item_bias"})
    if (is_taken(groups, name) && (name != "item_bias" || shape.bias)) of_members.push_back(name);
  for (const std::string& name : groups)  // others are refused below
    if (std::ranges::find(of_members, name) == of_members.end() && name != "features" && name != "feature_bias")
      of_members.push_back(name);
  if (of_members.empty()) return taken;
  if (shape.features_alone && !detail::features_alone_in(saved))
    throw config_error(
        "--features-alone leaves out the own vectors of users and items, which the model to begin with "
        "has: leave it out, or take the groups features and feature_bias alone");
  const std::size_t members = shape.users + shape.items;
  std::vector<float> before;
  if (state == nullptr) {
    before = shape.composed(parameters, of);
  } else {
    before.resize(plain.dim());
    std::ranges::copy(parameters.first(members * shape.width()), before.begin());
    if (shape.bias)
      std::ranges::copy(parameters.subspan(shape.item_bias(0), shape.items),
                        before.begin() + static_cast<std::ptrdiff_t>(plain.item_bias(0)));
  }
  std::vector<float> after = before;
  saved_model from = saved;
  if (state != nullptr) from.weights = state->weights, from.bias = state->bias;
  taken += warm_start(from, without_parts(m), rows.original, of_members, after);
  const auto set_own = [&](std::size_t column, std::size_t at, std::size_t offset, std::size_t width) {
    if (std::equal(&after[at], &after[at] + width, &before[at])) return;
    const std::span<float> own = parameters.subspan(offset + column * width, width);
    if (state != nullptr) return static_cast<void>(std::copy_n(&after[at], width, own.begin()));
    std::vector<double> rest(&after[at], &after[at] + width);
    float own_weight = 0.0f;
    of.for_terms(column, [&](std::size_t row, float weight) {
      if (row == column) return static_cast<void>(own_weight = weight);
      for (std::size_t k = 0; k < width; ++k)
        rest[k] -= static_cast<double>(weight) * static_cast<double>(parameters[offset + row * width + k]);
    });
    if (own_weight == 0.0f) return;
    std::ranges::transform(rest, own.begin(),
                           [&](double x) { return static_cast<float>(x / static_cast<double>(own_weight)); });
  };
  for (std::size_t column = 0; column < members; ++column) {
    set_own(column, column * shape.width(), 0, shape.width());
    if (shape.bias && column >= shape.users) set_own(column, plain.row_bias() + column, shape.row_bias(), 1);
  }
  return taken;
}

saved_model with_members_of_features(const saved_model& saved, const side_features& features) {
  const auto names = side_features_of(saved);
  if (!names)
    throw input_error("the model was trained without features, so it knows nothing of those in " + features.source);
  const auto numbers = numbers_of_names(*names);
  const double own = detail::features_alone_in(saved) ? 0.0 : 1.0;
  std::map<std::uint32_t, std::vector<float>> made;
  std::size_t known = 0;
  for (std::size_t k = 0; k < features.columns.size(); ++k) {
    const std::uint32_t column = features.columns[k];
    const bool of_users = is_user_column(column);
    std::vector<double> sum(saved.width);
    double square = own;
    const std::size_t before = known;
    for (std::size_t e = features.start[k]; e < features.start[k + 1]; ++e) {
      const std::string& name = (of_users ? features.names.users : features.names.items)[features.feature[e]];
      const auto found = numbers.find({of_users, name});
      if (found == numbers.end()) continue;
      ++known;
      const auto weight = static_cast<double>(features.weight[e]);
      square += weight * weight;
      for (std::size_t x = 0; x < saved.width; ++x)
        sum[x] += weight * static_cast<double>(saved.bias[found->second * saved.width + x]);
    }
    if (known == before || std::ranges::binary_search(saved.columns, column)) continue;
    std::vector<float>& row = made[column];
    for (const double x : sum) row.push_back(static_cast<float>(square > 0.0 ? x / std::sqrt(square) : x));
  }
  if (known == 0) throw input_error(features.source + ": the model has none of these features");
  saved_model all = saved;
  all.columns.clear(), all.weights.clear(), all.names.clear(), all.state = {};
  for (std::size_t k = 0; k < saved.columns.size(); ++k)
    made.emplace(saved.columns[k], std::vector<float>(saved.row(k).begin(), saved.row(k).end()));
  for (const auto& [column, row] : made) {
    all.columns.push_back(column);
    all.weights.insert(all.weights.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace hogwild
