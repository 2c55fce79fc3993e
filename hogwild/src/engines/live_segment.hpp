// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/results/live_description.hpp>
#include <hogwild/detail/results/saved_options.hpp>
#include <hogwild/detail/task/scoring.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild::detail {

/// The description of a run's parameters in its segment, for readers in other processes.
inline std::vector<std::byte> live_description_of(const training_task& task) {
  const task_facts& facts = task.facts();
  live_description about{.model = std::string(facts.model),
                         .whole = facts.saved_by_groups,
                         .numbers = facts.numbers,
                         .labels = task.labels(),
                         .groups = live_description::groups_from(facts.groups),
                         .original = input_numbers_of(task.data())};
  if (task.data().first_column != 0)
    about.numbers.emplace_back(first_column_option, static_cast<double>(task.data().first_column));
  // In other groups a column's place among all columns is not its place within the group.
  const auto of_all_columns = [&](const live_description::group& g) {
    return !g.by_columns || (g.first_column == 0 && g.rows >= about.original.size());
  };
  about.whole = about.whole && std::ranges::all_of(about.groups, of_all_columns);
  return about.encode();
}

/// Makes room for the description in a shape.
inline void make_room(store_shape& shape, const std::vector<std::byte>& description) {
  shape.live_bytes = sizeof(live_board) + description.size();
}
inline void describe(const param_store& store, const std::vector<std::byte>& description) {
  std::ranges::copy(description, store.live_description().begin());
}

}  // namespace hogwild::detail
