// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/model/model_number.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>
#include <hogwild/saved_model.hpp>

// Converts models to and from their saved form: by their groups, so that each column keeps its parameters, and by their
// numbers (model_number). Numbers that a model does not name are those of M{}.

namespace hogwild::detail {

/// The columns of a saved model, ascending, as positions in the training data.
std::vector<std::uint32_t> saved_order_of(std::span<const std::uint32_t> original);

/// The part of a saved model that contains parameters. The row of a column consists of its parameters in all groups
/// that are ordered by columns, one after the other, padded with zeros to the longest; parameters that belong to no
/// column are the bias, in ascending order of place. Throws config_error if the groups do not fit the number of
/// parameters.
void save_groups(std::span<const parameter_group> groups, std::span<const float> parameters,
                 std::span<const std::uint32_t> original, saved_model& saved);
/// The parameters of such a model, whose columns are those of `saved`. Throws input_error if their number differs.
std::vector<float> load_groups(std::span<const parameter_group> groups, const saved_model& saved);

void save_numbers(std::span<const model_number> numbers, const void* model, saved_model& saved);
/// Throws input_error for a number that is missing, unknown, or not allowed.
void load_numbers(std::span<const model_number> numbers, const saved_model& saved, void* model);

[[noreturn]] void refuse_saved_name(const saved_model& saved, std::string_view model);
[[noreturn]] void refuse_saved_size(const saved_model& saved);
/// For a free model without groups(): throws config_error unless it has a parameter for each column and at most one
/// more.
void require_row_of_each_column(std::string_view model, std::size_t parameters, std::size_t columns);

/// Sets the members that the data determine, if the model has them: `features`, `classes` and `labels`.
template <class M>
void set_sizes(M& m, std::size_t columns, const label_map& labels) {
  if constexpr (requires { m.features = columns; }) m.features = columns;
  if constexpr (requires { m.labels = labels.kind(); }) m.labels = labels.kind();
  if constexpr (requires { m.classes = columns; })
    if (labels.kind() == label_kind::classes) m.classes = labels.classes();
}

/// The groups of a model on this number of columns. The engine adds a margin model's constant term: one more parameter
/// after the weights.
template <model M>
std::vector<parameter_group> groups_on(const M& m, std::size_t columns, std::size_t parameters) {
  if constexpr (margin_model<M>) {
    static_cast<void>(m);
    std::vector<parameter_group> groups{{.rows = columns}};
    if (parameters > columns)
      groups.push_back({.name = "bias", .offset = columns, .rows = parameters - columns, .hot_first = false});
    return groups;
  } else if constexpr (requires { m.groups(); }) {
    return groups_of(m);
  } else {
    require_row_of_each_column(model_name<M>(), m.dim(), columns);
    std::vector<parameter_group> groups{{.rows = columns}};
    if (m.dim() > columns) groups.push_back({.name = "rest", .offset = columns, .rows = 1, .hot_first = false});
    return groups;
  }
}

/// A trained model in its saved form; `original`: the input numbers of its columns. Throws config_error if sizes do not
/// fit.
template <model M>
saved_model saved_form_of(const M& m, std::span<const float> parameters, const label_map& labels,
                          std::span<const std::uint32_t> original) {
  saved_model saved{.model = std::string(model_name<M>()), .labels = labels};
  save_numbers(numbers_of<M>(), &m, saved);
  save_groups(groups_on(m, original.size(), parameters.size()), parameters, original, saved);
  return saved;
}

/// Makes a model from its saved form. Throws input_error if the file holds another model, or numbers or labels that
/// this one does not allow.
template <model M>
M model_of_saved(const saved_model& saved) {
  static_assert(std::default_initializable<M>, "a model that is loaded can be made without arguments: M{}");
  if (saved.model != model_name<M>()) refuse_saved_name(saved, model_name<M>());
  M m{};
  load_numbers(numbers_of<M>(), saved, &m);
  set_sizes(m, saved.columns.size(), saved.labels);
  if (saved.labels.kind() != labels_of(m)) refuse_saved_size(saved);
  return m;
}

/// Its parameters, in the order of the columns of `saved`.
template <model M>
std::vector<float> parameters_of_saved(const M& m, const saved_model& saved) {
  const std::size_t parameters = [&] {
    if constexpr (margin_model<M>)
      return saved.columns.size() + (saved.bias.empty() ? 0 : 1);
    else
      return m.dim();
  }();
  return load_groups(groups_on(m, saved.columns.size(), parameters), saved);
}

}  // namespace hogwild::detail
