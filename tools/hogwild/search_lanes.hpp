// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/search/trials_side_by_side.hpp>
#include <hogwild/search.hpp>

#include "search_pace.hpp"
#include "search_trainer.hpp"

namespace hogwild::cli {

/// Trains models side by side of which trials_side_by_side does so, a trial on each part of the rows: those that differ
/// in their step, how it falls, l1 and l2 alone by one pass. All other trials are trained by runs of their own.
///
/// By the serial engine, or where a run of the engine repeats, a trial makes the same numbers whatever others it is
/// trained with. In a search that was killed it is trained anew.
class lane_trainer final : public trial_trainer {
 public:
  /// `trials`: all of the search. `requests`, rows, metric, `others`, which trains what has no lanes, and `pace` must
  /// outlive it.
  lane_trainer(const std::vector<train_request>& requests, std::span<const trial> trials, const search_rows& rows,
               const search_metric& metric, std::size_t threads, run_trainer& others, search_pace& pace,
               std::stop_token stop);

  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& t) const override;

  /// Nobody will ask for more epochs of this trial.
  void forget(std::size_t trial);

 private:
  const search_rows& rows_;
  std::size_t threads_;
  run_trainer& others_;
  search_pace& pace_;
  std::vector<std::optional<std::size_t>> first_;  ///< of each trial: its position among the lanes, for its first part
  std::optional<trials_side_by_side> lanes_{};
};

}  // namespace hogwild::cli
