// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/engines/thread_team.hpp>
#include <hogwild/detail/run/epoch_loop.hpp>
#include <hogwild/detail/run/optimum_bound.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/ranks_at_work.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/several_run.hpp>
#include <hogwild/detail/run/stop_rules.hpp>

#include "run/member_groups.hpp"

namespace hogwild::detail {

/// Several models that go through the rows together, an epoch at a time, each to its own end. Of several ranks each
/// trains its share of them, and knows of all how they do; all make the same calls, but those of parameters.
class members_side_by_side {
 public:
  /// Whether lanes do what is asked for; else the models are trained one by one.
  static bool suits(const prepared_task& all, const several_plan& plan);

  /// All outlive it. `mean_counts`: of what the rows of each model of this rank count. Finds the steps, and says in
  /// `run` what was found and decided.
  members_side_by_side(const prepared_task& all, const several_plan& plan, std::span<const double> mean_counts,
                       std::shared_ptr<any_engine> engine, thread_team& team, resolved_run& run, ranks_at_work& ranks);

  /// Whether steps are given or found; else a stop was asked for meanwhile, or the time was over, at any rank: there is
  /// nothing to train by.
  bool has_steps() const { return has_steps_; }
  /// What every loss is to fall from, where a tolerance goes by progress: that of zeros, before a warm start.
  void begin_falls();
  /// All begin with several_plan::begin, where there is one. What they begin with is measured, where there are steps:
  /// who ends worse has diverged.
  void begin_with_given();

  /// A pass of all that have not ended. False where a stop was asked for in the middle of it, of whichever rank: then
  /// all are as before.
  bool train(std::size_t epoch);

  /// Measures all that train, and ends those that a rule ends. False where one has diverged.
  bool conclude(std::size_t epoch);

  /// How the run ends once all have ended; nothing before.
  std::optional<run_status> ended() const;
  /// How far the sum of all objectives may lie above that of their optima, as a fraction of it, each of the epoch that
  /// its parameters are of; nothing where a tolerance does not ask.
  std::optional<double> gap() const;
  /// Ends those that still train. False where one has diverged.
  bool end_all();
  /// How, and when it was good last: of the first that has diverged. One sentence.
  std::string told_of_divergence(std::size_t epoch) const;

  /// After the last epoch that conclude() was told of, or that the model's parameters are of.
  double loss(std::size_t model) const { return members_[model].loss; }
  double objective(std::size_t model) const { return members_[model].objective; }
  /// Of a model of this rank.
  std::vector<float> parameters(std::size_t model) const;

  /// Those of this rank.
  const member_groups& groups() const { return *groups_; }

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct member {
    double mean = 1.0;  ///< of what its rows count
    step_schedule schedule{};
    stop_rules rules{};
    objective_fall fall{};
    run_course course{};
    double loss = unknown, objective = unknown;
    double best_loss = unknown, best_objective = unknown;
    std::vector<float> best{};               ///< by its validation loss, or its objective
    std::optional<optimum_bound> optimum{};  ///< where a tolerance asks
    double reached = unknown;                ///< the objective on its own rows, which that is about
    double distance = unknown;               ///< from the optimum, at most
    std::optional<run_status> ended{};
    std::vector<float> parameters{};  ///< once it has ended; of other ranks' models none

    /// For the weights of its rows as they are, whose mean a run of its own makes 1.
    double step(std::size_t epoch) const { return schedule.at(epoch) * rules.step_factor / mean; }
  };

  void find_schedules(thread_team& team);
  void start_groups(std::shared_ptr<any_engine> engine, thread_team& team);
  bool conclude_own(std::size_t epoch);
  std::vector<std::optional<loss_bound>> bounds() const;
  void end(std::size_t model, run_status how);
  bool tell_others(bool sound);
  double spread_of_losses_of(std::size_t model) const;
  /// The first of this rank's models, which groups count from 0, and behind its last.
  std::size_t first() const { return portions_.first_of(ranks_.rank()); }
  std::size_t behind() const { return portions_.first_of(ranks_.rank() + 1); }

  const prepared_task& all_;
  const several_plan& plan_;
  const train_options& options_;
  resolved_run& run_;
  ranks_at_work& ranks_;
  thread_team& team_;
  rank_portions portions_;
  bool has_steps_ = true;
  std::vector<member> members_;  ///< all of them
  std::optional<member_groups> groups_{};
};

}  // namespace hogwild::detail
