// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/observer.hpp>

#include "run/model_epochs.hpp"

namespace hogwild {

/// A run of one model whose step is known: its engine has decided how workers share, and they have started. The caller
/// trains the epochs.
class model_run {
 public:
  /// The arguments by reference outlive it; the engine is used once. `begun`: from begin_run(). Throws what the engine
  /// throws.
  model_run(const prepared_task& ready, any_engine& engine, resolved_run begun);
  model_run(const model_run&) = delete;
  model_run& operator=(const model_run&) = delete;

  model_epochs& epochs() { return *epochs_; }
  const resolved_run& run() const { return run_; }
  const engine_run& workers() const { return *started_; }

 private:
  resolved_run run_;
  run_planner planner_;
  std::unique_ptr<observer> record_{};
  std::unique_ptr<engine_run> started_{};
  std::optional<model_epochs> epochs_{};  ///< destroyed first
};

}  // namespace hogwild
