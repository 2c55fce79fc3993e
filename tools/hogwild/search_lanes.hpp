// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/search/trials_side_by_side.hpp>
#include <hogwild/search.hpp>

#include "search_trainer.hpp"

namespace hogwild::cli {

/// Trains trials side by side if trials_side_by_side supports them, each on every part of the rows: those that differ
/// only in step, its schedule, l1 and l2 share one pass. All other trials are trained by separate runs.
///
/// By the serial engine, or if a run of the engine repeats, a trial's results do not depend on the trials with which it
/// is trained. When a killed search goes on, the trial is trained from its beginning.
class lane_trainer final : public trial_trainer {
 public:
  /// `trials`: all of the search. `requests`, rows, metric, `others`, which trains trials without lanes, and `pace`
  /// must outlive it.
  lane_trainer(const std::vector<train_request>& requests, std::span<const trial> trials, const search_rows& rows,
               const search_metric& metric, std::size_t threads, run_trainer& others, search_pace& pace,
               std::stop_token stop);

  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& t) const override;

  /// This trial will get no more epochs.
  void forget(std::size_t trial);

 private:
  const search_rows& rows_;
  std::size_t threads_;
  run_trainer& others_;
  search_pace& pace_;
  std::vector<std::optional<std::size_t>> first_;  ///< for each trial: the position of its first part's lane
  std::optional<trials_side_by_side> lanes_{};
};

}  // namespace hogwild::cli
