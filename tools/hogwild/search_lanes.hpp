// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/optimization/schedule.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/search.hpp>

#include "search_trainer.hpp"

namespace hogwild::cli {

/// Trains linear models under sgd side by side, up to 32 by one pass over the rows ("lanes"): those trials that differ
/// in their step, how it falls, l1 and l2 alone, where all have an l1 or none has. Each thread has lanes of its own.
/// All other trials are trained by runs of their own.
///
/// A trial makes the same numbers whatever others it is trained with. Its parameters are kept between two calls; in a
/// search that was killed it is trained anew.
class lane_trainer final : public trial_trainer {
 public:
  /// All must outlive it; `others` trains what has no lanes.
  lane_trainer(const std::vector<train_request>& requests, const search_rows& rows, const search_metric& metric,
               std::size_t threads, run_trainer& others, std::stop_token stop);
  ~lane_trainer() override;

  void train(std::span<trial* const> some, std::size_t epochs) override;
  std::size_t at_once(const trial& t) const override;

  /// Nobody will ask for more epochs of this trial.
  void forget(std::size_t trial);

 private:
  struct group;
  struct lane;
  struct unit;

  bool has_lanes(const train_request& request) const;
  group& group_of(const trial& t, std::size_t part);
  void check(const train_request& request, std::size_t part) const;
  void begin(const trial& t, lane& of);
  std::vector<unit> units_of(std::span<lane* const> lanes) const;
  void train_unit(const unit& of, std::size_t epochs) const;

  const std::vector<train_request>& requests_;
  const search_rows& rows_;
  const search_metric& metric_;
  std::size_t threads_;
  run_trainer& others_;
  std::stop_token stop_;
  std::vector<bool> has_lanes_{};  ///< of each trial
  double largest_step_ = 0.0;      ///< of those that are given and have lanes
  std::mutex grouping_;            ///< guards what follows
  std::map<std::pair<std::string, std::size_t>, std::unique_ptr<group>> groups_;
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<lane>> lanes_;  ///< by trial and part of the rows
};

}  // namespace hogwild::cli
