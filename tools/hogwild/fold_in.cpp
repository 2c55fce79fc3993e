// SPDX-License-Identifier: Apache-2.0
#include "fold_in.hpp"

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>

#include "train_request.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

struct kind_and_groups {
  named_model model;
  std::vector<std::string> of_items;
};

/// The saved model's kind for so many other users, and its groups of parameters that belong to items.
kind_and_groups made_for(const saved_model& saved, std::size_t users) {
  std::vector<std::string> of_items;
  named_model made = std::visit(
      [&](auto m) -> named_model {
        if constexpr (requires {
                        m.users;
                        m.items;
                        m.bias;
                      }) {
          m.users = users;
          of_items = {"items"};
          if (m.bias) of_items.emplace_back("item_bias");
        }
        return m;
      },
      predictor(saved).model());
  if (of_items.empty())
    throw input_error("a " + saved.model + " model has no users to fold in; models of ratings and of pairs do");
  return {std::move(made), std::move(of_items)};
}

/// The columns of users that have an item among these columns.
std::set<std::uint32_t> users_with_items(const sparse_view& rows) {
  rows.ensure(0, rows.rows());
  std::set<std::uint32_t> users;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> row = cursor.row(r);
    if (row.size() != 2) continue;
    for (const std::uint32_t position : row.index)
      if (is_user_column(rows.original[position])) users.insert(rows.original[position]);
  }
  return users;
}

/// `saved` with these users of another model of its kind, which take the place of its own of the same number.
saved_model with_users_of(const saved_model& other, const std::set<std::uint32_t>& users, const saved_model& saved) {
  std::map<std::uint32_t, std::span<const float>> rows;
  for (std::size_t k = 0; k < saved.columns.size(); ++k) rows[saved.columns[k]] = saved.row(k);
  for (std::size_t k = 0; k < other.columns.size(); ++k)
    if (users.contains(other.columns[k])) rows[other.columns[k]] = other.row(k);
  saved_model all{
      .model = saved.model, .model_options = saved.model_options, .labels = saved.labels, .width = saved.width};
  for (const auto& [column, row] : rows) {
    all.columns.push_back(column);
    all.weights.insert(all.weights.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace

saved_model fold_in(const saved_model& saved, const std::string& path, const data_options& files) {
  std::vector<std::uint32_t> columns;
  data_options quietly = files;
  quietly.quiet = true;
  const sparse_dataset all = open_training(path, quietly);
  std::ranges::copy_if(all.view().original, std::back_inserter(columns), is_user_column);
  const std::size_t users = columns.size();
  std::ranges::copy_if(saved.columns, std::back_inserter(columns), std::not_fn(is_user_column));
  const column_numbering numbering(columns);
  const sparse_dataset data = open_through(path, numbering, files, row_labels::required);
  const std::set<std::uint32_t> learned = users_with_items(data.view());
  if (learned.empty())
    throw input_error(path + ": there is no item in it that the model knows, so nothing is known of its users");

  const kind_and_groups made = made_for(saved, users);
  train_request request;
  request.model = saved.model;
  train_options& options = request.options;
  options.bias = false;  // items have their own
  options.reproducible = true;
  options.freeze = made.of_items;
  if (const std::size_t epochs = model_named(saved.model).epochs({}); epochs > 0) options.epochs = epochs;
  options.initial = [&](std::span<float> parameters) {
    warm_start(saved, made.model, columns, made.of_items, parameters);
  };
  const train_result result = train_with_engine(made.model, data.view(), request, options, nullptr);
  if (result.status == run_status::diverged)
    throw error(exit_code::diverged, path + ": training its users diverged, so nothing is known of them");
  saved_model folded = with_users_of(to_saved(made.model, result.parameters, result.labels, columns), learned, saved);
  files.name_columns(folded);
  return folded;
}

}  // namespace hogwild::cli
