// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/saved_form.hpp>

#include <algorithm>
#include <numeric>
#include <string>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::detail {
namespace {

constexpr const char* net_option = "net";  ///< the number of parameters after the first that belongs to no column

/// A run of parameters: of one group for a column, or without a column.
struct run_of_parameters {
  std::size_t offset, size;
};

bool covers(const parameter_group& g, std::size_t column) {
  return g.hot_first && column >= g.first_column && column - g.first_column < g.rows;
}

std::size_t width_of(std::span<const parameter_group> groups, std::size_t columns) {
  std::size_t most = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    std::size_t width = 0;
    for (const parameter_group& g : groups) width += covers(g, c) ? g.width : 0;
    most = std::max(most, width);
  }
  return std::max<std::size_t>(most, 1);
}

/// Calls copy(offset among the parameters, place in the column's row, number) for each group.
template <class Copy>
void for_row(std::span<const parameter_group> groups, std::size_t column, const Copy& copy) {
  std::size_t at = 0;
  for (const parameter_group& g : groups) {
    if (!covers(g, column)) continue;
    copy(g.offset + (column - g.first_column) * g.width, at, g.width);
    at += g.width;
  }
}

/// The runs of parameters that belong to no column, in ascending order.
std::vector<run_of_parameters> rest_of(std::span<const parameter_group> groups, std::size_t columns) {
  std::vector<run_of_parameters> rest;
  for (const parameter_group& g : groups) {
    // Rows for columns that the data do not have belong to no column.
    const std::size_t first = g.hot_first ? std::min(g.rows, columns - std::min(columns, g.first_column)) : 0;
    if (first < g.rows) rest.push_back({g.offset + first * g.width, (g.rows - first) * g.width});
  }
  std::ranges::sort(rest, {}, &run_of_parameters::offset);
  return rest;
}

std::size_t end_of(std::span<const parameter_group> groups) {
  std::size_t end = 0;
  for (const parameter_group& g : groups) end = std::max(end, g.offset + g.rows * g.width);
  return end;
}

}  // namespace

std::vector<std::uint32_t> saved_order_of(std::span<const std::uint32_t> original) {
  std::vector<std::uint32_t> positions(original.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::ranges::sort(positions, {}, [&](std::uint32_t position) { return original[position]; });
  return positions;
}

void save_groups(std::span<const parameter_group> groups, std::span<const float> parameters,
                 std::span<const std::uint32_t> original, saved_model& saved) {
  if (end_of(groups) != parameters.size())
    throw config_error("a " + saved.model + " model of " + std::to_string(original.size()) + " columns cannot have " +
                       std::to_string(parameters.size()) + " parameters");
  saved.width = width_of(groups, original.size());
  const std::vector<std::uint32_t> order = saved_order_of(original);
  saved.weights.assign(order.size() * saved.width, 0.0f);
  for (std::size_t k = 0; k < order.size(); ++k) {
    saved.columns.push_back(original[order[k]]);
    for_row(groups, order[k], [&](std::size_t from, std::size_t to, std::size_t n) {
      std::ranges::copy(parameters.subspan(from, n),
                        saved.weights.begin() + static_cast<std::ptrdiff_t>(k * saved.width + to));
    });
  }
  for (const auto& [offset, size] : rest_of(groups, original.size())) {
    const auto run = parameters.subspan(offset, size);
    saved.bias.insert(saved.bias.end(), run.begin(), run.end());
  }
  if (saved.labels.kind() != label_kind::classes && saved.bias.size() > 1 && saved.bias.size() != saved.width)
    saved.model_options.emplace_back(net_option, static_cast<double>(saved.bias.size() - 1));
}

std::vector<float> load_groups(std::span<const parameter_group> groups, const saved_model& saved) {
  const std::size_t columns = saved.columns.size();
  const std::vector<run_of_parameters> rest = rest_of(groups, columns);
  std::size_t of_none = 0;
  for (const auto& run : rest) of_none += run.size;
  if (saved.width != width_of(groups, columns) || saved.weights.size() != columns * saved.width ||
      saved.bias.size() != of_none)
    refuse_saved_size(saved);
  std::vector<float> parameters(end_of(groups));
  for (std::size_t k = 0; k < columns; ++k) {
    for_row(groups, k, [&](std::size_t to, std::size_t from, std::size_t n) {
      std::ranges::copy(saved.row(k).subspan(from, n), parameters.begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  auto from = saved.bias.begin();
  for (const auto& [offset, size] : rest) {
    std::copy_n(from, size, parameters.begin() + static_cast<std::ptrdiff_t>(offset));
    from += static_cast<std::ptrdiff_t>(size);
  }
  return parameters;
}

void save_numbers(std::span<const model_number> numbers, const void* model, saved_model& saved) {
  for (const model_number& number : numbers)
    saved.model_options.emplace_back(std::string(number.name), number.get(model));
}

void load_numbers(std::span<const model_number> numbers, const saved_model& saved, void* model) {
  for (const model_number& number : numbers) {
    const std::string should_be = !number.must_be.empty() ? std::string(number.must_be)
                                  : number.is_flag        ? "0 or 1"
                                  : number.is_count       ? "a whole number"
                                                          : "a number that fits single precision";
    saved_option(
        saved, number.name, [&](double x) { return number.take(model, x); }, should_be);
  }
  for (const auto& [name, value] : saved.model_options) {
    if (name == net_option || name == first_column_option || name == scaling_option) continue;
    if (std::ranges::find(numbers, name, &model_number::name) != numbers.end()) continue;
    throw input_error("the saved " + saved.model + " model has an option " + quote(name) +
                      ", which this program's model of that name has not");
  }
}

void refuse_saved_name(const saved_model& saved, std::string_view model) {
  throw input_error("it holds a " + saved.model + " model, not a " + std::string(model));
}

void refuse_saved_size(const saved_model& saved) {
  throw input_error("the labels or the number of parameters do not suit the model " + saved.model);
}

void require_row_of_each_column(std::string_view model, std::size_t parameters, std::size_t columns) {
  if (parameters == columns || parameters == columns + 1) return;
  throw config_error("the model " + std::string(model) + " has " + std::to_string(parameters) + " parameters for " +
                     std::to_string(columns) + " columns and no groups(), which say what belongs to which column");
}

}  // namespace hogwild::detail
