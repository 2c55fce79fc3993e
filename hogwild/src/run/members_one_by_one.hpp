// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/run/ranks_at_work.hpp>
#include <hogwild/detail/run/several_run.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/result.hpp>

namespace hogwild::detail {

/// Several models that are trained by runs of their own, of one worker each, as many at a time as a team has threads;
/// of several ranks each trains its share of them.
class members_one_by_one {
 public:
  /// All outlive it. Throws config_error for options that have no meaning where each is a run of its own.
  members_one_by_one(const prepared_data& all, const several_plan& plan, ranks_at_work& ranks);

  /// Trains all, by all ranks. A stop that is asked for ends all early, and so does one that diverges: the others are
  /// of no use then.
  void train(thread_team& team);

  /// How a run ends whose models have ended so.
  run_status status() const;
  /// Of one that was stopped each has as many at least.
  std::size_t epochs() const;
  /// How far the sum of their objectives may lie above that of their optima, as a fraction of it; nothing where a
  /// tolerance does not ask.
  std::optional<double> gap() const;
  /// The sums of what was counted.
  train_result counted() const;
  /// What all of them had counted by the end of an epoch of each, with the sums of their losses and objectives on the
  /// rows that they are trained on; `train_seconds` are of all workers together. Of a model that has ended before, what
  /// it ended with.
  epoch_report after_epoch(std::size_t epoch) const;
  /// Of the first one.
  const train_result& first() const { return ended_.front(); }
  /// Of a model of this rank.
  const std::vector<float>& parameters(std::size_t model) const { return ended_[model].parameters; }
  /// While they are trained, by any thread: rows of those of this rank that have ended.
  std::uint64_t rows_done() const { return rows_done_.load(); }

 private:
  struct member_epoch {
    double loss = 0.0, objective = 0.0, seconds = 0.0, examples = 0.0, updates = 0.0, nonzeros = 0.0;
  };

  void train_own(thread_team& team);
  void hear_of_others();
  void hear_of_epochs(std::size_t epochs);

  const prepared_data& all_;
  const several_plan& plan_;
  ranks_at_work& ranks_;
  rank_portions portions_;
  std::vector<train_result> ended_;
  std::vector<std::vector<member_epoch>> told_;  ///< of each model, its epochs so far
  std::atomic<std::uint64_t> rows_done_ = 0;
};

}  // namespace hogwild::detail
