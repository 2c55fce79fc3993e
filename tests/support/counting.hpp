// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <hogwild/general_model.hpp>
#include <hogwild/train.hpp>

#include "support/planned_task.hpp"
#include "support/toy_data.hpp"

// Models whose parameters count: with a step of 1 each row adds exactly 1 to each of its columns, so that after e
// epochs a column's parameter is e times the number of its rows, in any order and by any workers, unless an add was
// lost.

namespace hogwild::test {

/// A margin model, for batches of rows and wide kernels. Its rows have values 1.
struct counting_margins {
  static constexpr std::string_view name = "counting_margins";
  double loss(float, float) const { return 0.0; }
  float derivative(float, float) const { return -1.0f; }
};

/// A general model, row by row.
struct counting_columns {
  static constexpr std::string_view name = "counting_columns";
  using scalar_type = float;
  using example_type = sparse_row<float>;
  std::size_t columns = 0;
  std::size_t dim() const { return columns; }
  double loss(const auto&, const example_type&) const { return 0.0; }
  void gradient(const auto&, const example_type& z, const auto& emit) const {
    for (const auto [j, x] : z) emit(j, -1.0f);
  }
};

/// Rows with values 1 and hot columns first: most rows have a low column in each of a few ranges.
inline toy_rows countable_rows(std::size_t rows, std::size_t columns) {
  toy_rows data;
  data.columns = columns;
  const counter_random draws(5, 5);
  for (std::size_t r = 0; r < rows; ++r) {
    const double u = draws.uniform(3 * r), v = draws.uniform(3 * r + 1);
    const auto low = static_cast<std::uint32_t>(u * u * u * static_cast<double>(columns / 2));
    const auto high =
        static_cast<std::uint32_t>(columns / 2 + static_cast<std::size_t>(v * static_cast<double>(columns / 2)));
    data.push({low, high}, {1.0f, 1.0f}, 0.0f);
  }
  return data;
}

inline std::vector<float> counts_after(const toy_rows& data, std::size_t epochs) {
  std::vector<float> n(data.columns);
  for (const std::uint32_t j : data.index) n[j] += static_cast<float>(epochs);
  return n;
}

/// A task whose workers share in a given way and, if they have replicas, exchange every `rows` of their rows.
template <class Model>
planned_task counting_task(const Model& m, const sparse_view& data, update_kind update, access_kind sharing,
                           std::size_t workers, std::uint64_t rows) {
  planned_task work = make_task(m, data, label_map{}, {.update = update, .isa = choose_isa(isa::automatic)});
  work.set_sharing(sharing, {.head = data.columns / 3, .rows = rows, .workers = workers});
  return work;
}

}  // namespace hogwild::test
