// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/epoch_loop.hpp>
#include <hogwild/detail/run/optimum_bound.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

#include "members/member_groups.hpp"

namespace hogwild::detail {

/// Several models that go through the rows together, an epoch at a time, each to its own end. With several ranks each
/// trains its share of them, and knows the state of all; all make the same calls, except for parameters().
class members_side_by_side {
 public:
  /// Whether lanes support what is asked for; otherwise the models are trained one by one.
  static bool suits(const prepared_task& all, const several_plan& plan);

  /// All arguments outlive it. `mean_counts`: the mean count of the rows of each model of this rank. Finds the steps,
  /// and writes what was found and decided into `run`.
  members_side_by_side(const prepared_task& all, const several_plan& plan, std::span<const double> mean_counts,
                       std::shared_ptr<any_engine> engine, thread_team& team, resolved_run& run, ranks_at_work& ranks);

  /// Whether steps were given or found. If not, a stop was requested or the time was over on some rank, and nothing can
  /// be trained.
  bool has_steps() const { return has_steps_; }
  /// Measures the objective of zeros, before a warm start: for a tolerance about progress, which counts from there.
  void begin_falls();
  /// All models begin with several_plan::begin, if there is one. If there are steps, the beginning is measured, because
  /// a model that ends worse has diverged.
  void begin_with_given();

  /// A pass of all models that have not ended. False if a stop was requested in the middle of it, on any rank: then all
  /// models are as before.
  bool train(std::size_t epoch);

  /// Measures all models that train, and ends those that a rule ends. False if one has diverged.
  bool conclude(std::size_t epoch);

  /// How the run ends once all models have ended; nothing before.
  std::optional<run_status> ended() const;
  /// How far the sum of all objectives may be above that of their optima, as a fraction of it, each at the epoch of the
  /// model's parameters; nothing unless a tolerance needs it.
  std::optional<double> gap() const;
  /// Ends the models that still train. False if one has diverged.
  bool end_all();
  /// One sentence about the first model that has diverged: how, and when it was good last.
  std::string told_of_divergence(std::size_t epoch) const;

  /// The values after the last epoch that conclude() was given, or after the epoch of the model's parameters.
  double loss(std::size_t model) const { return members_[model].loss; }
  double objective(std::size_t model) const { return members_[model].objective; }
  /// Parameters of a model of this rank.
  std::vector<float> parameters(std::size_t model) const;

  /// The groups of this rank.
  const member_groups& groups() const { return *groups_; }

 private:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  struct member {
    double mean = 1.0;  ///< mean count of its rows
    step_schedule schedule{};
    stop_rules rules{};
    objective_fall fall{};
    run_course course{};
    double loss = unknown, objective = unknown;
    double best_loss = unknown, best_objective = unknown;
    std::vector<float> best{};               ///< by its validation loss, or its objective
    std::optional<optimum_bound> optimum{};  ///< set if a tolerance needs it
    double reached = unknown;                ///< the objective on its own rows, to which `optimum` applies
    double distance = unknown;               ///< from the optimum, upper bound
    std::optional<run_status> ended{};
    std::vector<float> parameters{};  ///< set once it has ended; not for other ranks' models

    /// The step for unscaled weights of the rows; a separate run scales their mean to 1.
    double step(std::size_t epoch) const { return schedule.at(epoch) * rules.step_factor / mean; }
  };

  void find_schedules(thread_team& team);
  void start_groups(std::shared_ptr<any_engine> engine, thread_team& team);
  bool conclude_own(std::size_t epoch);
  std::vector<std::optional<loss_bound>> bounds() const;
  void end(std::size_t model, run_status how);
  bool tell_others(bool sound);
  double spread_of_losses_of(std::size_t model) const;
  /// The first of this rank's models, which groups count from 0, and one past its last.
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
  std::vector<member> members_;  ///< of all ranks
  std::optional<member_groups> groups_{};
};

}  // namespace hogwild::detail
