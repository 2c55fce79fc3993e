// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/result.hpp>

namespace hogwild::detail {

/// Several models that are trained by separate runs, of one worker each, as many at a time as a team has threads; with
/// several ranks each trains its share of them.
class members_one_by_one {
 public:
  /// All arguments outlive it. Throws config_error for options that have no meaning for separate runs.
  members_one_by_one(const prepared_data& all, const several_plan& plan, ranks_at_work& ranks);

  /// Trains all models, by all ranks. A stop request ends all early, and so does a model that diverges: the others are
  /// then of no use.
  void train(thread_team& team);

  /// How the whole run ends, given how its models ended.
  run_status status() const;
  /// The least number of epochs of any model, if the run was stopped.
  std::size_t epochs() const;
  /// How far the sum of the objectives may be above that of their optima, as a fraction of it; nothing unless a
  /// tolerance needs it.
  std::optional<double> gap() const;
  /// The sums of the counts.
  train_result counted() const;
  /// The counts of all models at the end of this epoch, with the sums of their losses and objectives on their training
  /// rows; `train_seconds` are those of all workers together. A model that has ended before counts with its last
  /// values.
  epoch_report after_epoch(std::size_t epoch) const;
  /// The result of the first model.
  const train_result& first() const { return ended_.front(); }
  /// Parameters of a model of this rank.
  const std::vector<float>& parameters(std::size_t model) const { return ended_[model].parameters; }
  /// Rows of this rank's models that have ended; any thread may ask while they are trained.
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
  std::vector<std::vector<member_epoch>> told_;  ///< for each model, its epochs so far
  std::atomic<std::uint64_t> rows_done_ = 0;
};

}  // namespace hogwild::detail
