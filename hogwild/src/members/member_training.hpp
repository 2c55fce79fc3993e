// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/members/ranks_at_work.hpp>
#include <hogwild/detail/members/several_run.hpp>
#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/detail/run/rank_checkpoints.hpp>
#include <hogwild/detail/run/resolved_run.hpp>
#include <hogwild/detail/run/run_course.hpp>
#include <hogwild/detail/teams/thread_team.hpp>
#include <hogwild/error.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/result.hpp>

namespace hogwild::detail {

/// Trains several models epoch by epoch, each of which ends by its own rules. With several ranks each trains its share
/// of the models, and all know how all of them stand. All ranks make the same calls, which throw as a collective.
class member_training {
 public:
  virtual ~member_training() = default;
  member_training(const member_training&) = delete;
  member_training& operator=(const member_training&) = delete;

  /// Whether all models have steps: false if the search for steps was stopped. Without them nothing is trained.
  bool has_steps() const { return has_steps_; }
  /// Measures the beginning, after observers have heard of the start; or restores the state of the checkpoint from
  /// which the run resumes.
  void begin();
  /// A pass of all models that have not ended. False if a stop was requested in the middle of it, on any rank: then all
  /// models are as before.
  bool train(std::size_t epoch);
  /// Measures all models that train, and ends those that a rule ends. `trained`: the number of epochs since the last
  /// measurement; 0: this epoch is not measured. False as train().
  bool conclude(std::size_t epoch, std::size_t trained);
  /// Ends the models that still train.
  void end_all();

  /// How the run ends once a model has diverged or all models have ended; nothing before.
  std::optional<run_status> ended() const;
  /// How far the sum of all objectives may be above that of their optima, as a fraction of it, each at the epoch of the
  /// model's parameters; nothing unless a tolerance needs it.
  std::optional<double> gap() const;
  /// One sentence about the first model that has diverged: how, and when it was good last.
  std::string told_of_divergence(std::size_t epoch) const;
  /// The values on the model's rows after the last epoch that was concluded, or after the epoch of its parameters.
  double loss(std::size_t model) const { return standings_[model].loss; }
  double objective(std::size_t model) const { return standings_[model].objective; }

  /// Adds the state of this rank's models to a checkpoint.
  void put(checkpoint& file) const;
  /// Whether any parameter of this rank's models that train is no longer a finite number.
  virtual bool have_broken_down() const = 0;

  /// Parameters of a model of this rank.
  virtual std::vector<float> parameters(std::size_t model) const = 0;
  /// The counts of this rank's workers.
  virtual epoch_report counted() const = 0;
  /// Rows that they passed so far; any thread may ask while models are trained.
  virtual std::uint64_t rows_done() const = 0;
  /// Fills in how they fared, and statistics of their exchanges.
  virtual void tell_of_workers(train_result& result) const = 0;
  virtual std::string_view engine() const = 0;
  virtual std::size_t workers() const = 0;
  /// Passes over the rows that an epoch of all models takes.
  virtual std::size_t passes() const = 0;

 protected:
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  /// What models of different sizes have, one after the other, in a section of a checkpoint.
  template <class T>
  class joined {
   public:
    joined() = default;
    joined(const checkpoint& file, std::string_view name) : values_(file.get_vector<T>(name)) {}

    void add(std::span<const T> more) { values_.insert(values_.end(), more.begin(), more.end()); }
    void put(checkpoint& file, std::string name) const { file.put_span<T>(std::move(name), values_); }
    /// The next `count` values. Throws input_error if there are fewer.
    std::vector<T> next(std::size_t count) {
      if (count > values_.size() - at_) throw input_error("the checkpoint has too little of its models");
      const auto from = values_.begin() + static_cast<std::ptrdiff_t>(at_);
      at_ += count;
      return {from, from + static_cast<std::ptrdiff_t>(count)};
    }

   private:
    std::vector<T> values_{};
    std::size_t at_ = 0;
  };

  /// Counts of workers, in a checkpoint.
  struct counts {
    std::uint64_t examples = 0, updates = 0, nonzeros = 0;

    static counts of(const epoch_report& r) { return {r.examples, r.updates, r.nonzeros}; }
    void add_to(epoch_report& sum) const { sum.examples += examples, sum.updates += updates, sum.nonzeros += nonzeros; }
  };

  /// The facts about a model that ranks exchange.
  struct standing {
    double loss = unknown, objective = unknown;
    double reached = unknown;   ///< the lowest objective, if a tolerance bounds its distance from the optimum
    double distance = unknown;  ///< the upper bound
    run_course course{};
    std::optional<run_status> ended{};
  };

  /// All arguments outlive it.
  member_training(const prepared_task& all, const several_plan& plan, thread_team& team, resolved_run& run,
                  ranks_at_work& ranks);

  virtual void begin_own() = 0;
  virtual void put_own(checkpoint& file) const = 0;
  virtual void take_own(const checkpoint& file) = 0;
  /// Trains a pass of this rank's models that have not ended; ranks_at_work::stop() may break it off.
  virtual void train_own(std::size_t epoch) = 0;
  /// Measures them, if they are `measured`. False if a stop request came before all were.
  virtual bool measure_own(std::size_t epoch, bool measured) = 0;
  /// Updates their standings, and ends those that a rule ends. `trained` as for conclude().
  virtual void settle_own(std::size_t epoch, std::size_t trained) = 0;
  /// Ends one of them, with the parameters to return.
  virtual void end(std::size_t model, run_status how) = 0;
  /// Ends those of this rank's models that still train.
  virtual void end_rest();
  /// Ends a pass: either all models keep its result, or all return to their state before it.
  virtual void keep_pass() = 0;
  virtual void take_back_pass() = 0;

  /// The first of this rank's models, and one past its last.
  std::size_t first() const { return portions_.first_of(ranks_.rank()); }
  std::size_t behind() const { return portions_.first_of(ranks_.rank() + 1); }
  /// Sends the standings of this rank's models to the others.
  void tell_others();
  /// The checkpoint from which the run resumes; null: it begins anew.
  const checkpoint* resumed() const { return run_.resumed ? &run_.resumed->state : nullptr; }
  /// resolved_run::schedule of the run that wrote it.
  step_schedule resumed_schedule() const;
  /// Whether no rank was asked to stop, and no time was over, while steps were searched for.
  bool found_steps() const;

  const prepared_task& all_;
  const several_plan& plan_;
  const train_options& options_;
  thread_team& team_;
  resolved_run& run_;
  ranks_at_work& ranks_;
  rank_portions portions_;
  bool has_steps_ = true;
  std::vector<standing> standings_;  ///< of all ranks' models

 private:
  struct standing_numbers;
  std::vector<standing_numbers> numbers_of_standings() const;
  void set_standings(std::span<const standing_numbers> all);
};

}  // namespace hogwild::detail
