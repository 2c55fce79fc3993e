// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Writes the initial parameters to a store of zeros, with the best constant term that the task's rows allow. Returns
/// the rows' mean loss under them. Called while nobody trains.
inline double begin_untrained(const training_task& task, const param_store& store, thread_team& threads) {
  task.begin(store);
  minimise_constant(task, store, 1.0, threads);
  return task.evaluate(store, 1.0, task.data(), threads, false).loss;
}

/// The same loss; afterwards the store has the parameters and the optimiser's state that it had before.
inline double untrained_loss(const training_task& task, const param_store& store, thread_team& threads) {
  const auto state = store.state_of_training();
  const std::vector<std::byte> before(state.begin(), state.end());
  std::ranges::fill(state, std::byte{0});
  const double loss = begin_untrained(task, store, threads);
  std::ranges::copy(before, state.begin());
  return loss;
}

}  // namespace hogwild
