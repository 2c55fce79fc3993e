// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/stream/stream_course.hpp>
#include <hogwild/detail/task/model_constant.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {

/// Lets a caller change a store's parameters and optimiser state while nobody trains, and restores them at its end.
class kept_state {
 public:
  explicit kept_state(const param_store& store)
      : store_(store), before_(store.state_of_training().begin(), store.state_of_training().end()) {}
  kept_state(const kept_state&) = delete;
  kept_state& operator=(const kept_state&) = delete;
  ~kept_state() { std::ranges::copy(before_, store_.state_of_training().begin()); }

  const param_store& store() const { return store_; }
  void clear() const { std::ranges::fill(store_.state_of_training(), std::byte{0}); }

 private:
  const param_store& store_;
  std::vector<std::byte> before_;
};

/// The losses under the store's parameters, with the constant term that suits the task's rows best. Moves the constant.
inline trial_loss loss_of_trial(const training_task& task, const param_store& store, double scale,
                                thread_team& threads) {
  minimise_constant(task, store, scale, threads);
  const auto alone = thread_team::make(thread_team_kind::std, 1, false);
  const sparse_view& rows = task.data();
  return {.mean = task.evaluate(store, scale, rows, threads, false).loss,
          .spread = spread_of_losses(rows.rows(), [&](std::size_t r) {
            return task.evaluate(store, scale, rows.slice(r, r + 1), *alone, false).loss;
          })};
}

/// The losses under the initial parameters.
inline trial_loss loss_of_untrained(const training_task& task, const kept_state& state, thread_team& threads) {
  state.clear();
  task.begin(state.store());
  return loss_of_trial(task, state.store(), 1.0, threads);
}

}  // namespace hogwild
