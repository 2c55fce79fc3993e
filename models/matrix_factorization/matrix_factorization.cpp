// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/matrix_factorization.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>

#include "factors/factor_options.hpp"

// Saved models hold the factors and the bias of each user and item side by side, without padding.

namespace hogwild {
namespace {

/// Calls copy(place among the parameters, place in the saved row, number) for a column's parameters.
template <class Copy>
void for_saved_rows(const matrix_factorization& m, std::size_t column, const Copy& copy) {
  copy(column * m.width(), std::size_t{0}, m.factors);
  if (m.bias) copy((m.users + m.items) * m.width() + column, m.factors, std::size_t{1});
}

class loaded_factorization final : public loaded_model {
 public:
  loaded_factorization(const matrix_factorization& m, const saved_model& saved)
      : loaded_model(std::vector<float>(m.dim()), saved.columns), model_(m) {
    std::uint32_t user = 0, item = static_cast<std::uint32_t>(m.users);
    for (std::size_t k = 0; k < saved.columns.size(); ++k) {
      places_.push_back(is_user_column(saved.columns[k]) ? user++ : item++);
      columns_[places_[k]] = saved.columns[k];
      for_saved_rows(m, places_[k], [&](std::size_t to, std::size_t from, std::size_t count) {
        std::ranges::copy(saved.row(k).subspan(from, count), parameters_.begin() + static_cast<std::ptrdiff_t>(to));
      });
    }
  }

  named_model model() const override { return model_; }
  std::optional<item_vectors> vectors() const override {
    const std::span<const float> w(parameters_);
    const std::size_t users = model_.users * model_.width(), items = model_.items * model_.width();
    item_vectors v{
        .width = model_.width(), .users = w.first(users), .items = w.subspan(users, items), .constant = model_.mean};
    if (model_.bias) {
      v.user_added = w.subspan(users + items, model_.users);
      v.item_added = w.subspan(users + items + model_.users, model_.items);
    }
    return v;
  }
  row_score loss_and_score(const sparse_row<float>& z) const override {
    std::vector<std::uint32_t> columns;
    columns.reserve(z.size());
    for (const std::uint32_t k : z.index) columns.push_back(places_[k]);
    const float score =
        model_.predict(detail::quiet_reader<>{parameters_}, sparse_row<float>{columns, z.value, z.label});
    return {matrix_factorization::loss_of(score, z.label), score};
  }

 private:
  matrix_factorization model_;
  std::vector<std::uint32_t> places_;  ///< the model's column of each saved one
};

class factorization_descriptor final : public descriptor_for<matrix_factorization> {
 public:
  factorization_descriptor()
      : descriptor_for({.summary = "ratings of items by users, as products of factors",
                        .input = model_input::ratings,
                        .options = {detail::factors_option(matrix_factorization{}.factors, "of each user and item")},
                        .uses = {"ownership"},
                        .bias_of_its_own = true}) {}

  named_model make(const model_data& data, const model_options& options) const override {
    // If each rank has ratings of its own, columns are reordered without regard to users and items.
    if (!std::ranges::is_partitioned(data.rows.original, is_user_column))
      throw config_error("factors need one file of ratings for all ranks, not one for each");
    matrix_factorization m{.users = count_users(data.rows.original),
                           .bias = data.bias.value_or(true),
                           .mean = static_cast<float>(data.mean_label())};
    m.items = data.features() - m.users;
    const auto known = detail::initial_model<matrix_factorization>(data);
    if (known && (data.takes_all_groups() || data.takes_one_of({"users", "items"}))) m.factors = known->factors;
    if (known && data.takes_all_groups()) m.mean = known->mean;
    m.factors = detail::factors_of(options, m.factors);
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model& saved) const override {
    matrix_factorization m{.factors = detail::saved_count(saved, "rank", detail::most_factors),
                           .mean = static_cast<float>(detail::saved_number(saved, "mean"))};
    m.users = static_cast<std::size_t>(std::ranges::count_if(saved.columns, is_user_column));
    m.items = saved.columns.size() - m.users;
    m.bias = saved.width == m.factors + 1;
    if (saved.labels.kind() != m.labels || saved.width != m.factors + (m.bias ? 1 : 0) || !saved.bias.empty() ||
        saved.weights.size() != saved.columns.size() * saved.width)
      throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
    return std::make_shared<loaded_factorization>(m, saved);
  }

 private:
  saved_model save_model(const matrix_factorization& m, const trained_parameters& trained) const override {
    if (trained.values.size() != m.dim() || trained.original.size() != m.users + m.items)
      throw config_error("these parameters are not those of this factorisation");
    saved_model saved;
    saved.model_options = {{"rank", static_cast<double>(m.factors)}, {"mean", static_cast<double>(m.mean)}};
    saved.width = m.factors + (m.bias ? 1 : 0);
    saved.weights.resize(trained.original.size() * saved.width);
    for (std::size_t k = 0; k < trained.saved_order.size(); ++k) {
      for_saved_rows(m, trained.saved_order[k], [&](std::size_t from, std::size_t to, std::size_t count) {
        std::ranges::copy(trained.values.subspan(from, count),
                          saved.weights.begin() + static_cast<std::ptrdiff_t>(k * saved.width + to));
      });
    }
    return saved;
  }
};

}  // namespace

template <>
const model_descriptor& descriptor_of<matrix_factorization>() {
  static const factorization_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
