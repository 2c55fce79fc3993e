// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Options of a command line in which trials that are trained side by side may differ.
inline constexpr std::array<std::string_view, 5> options_of_a_lane{"step", "decay", "schedule", "l1", "l2"};

/// A model that is trained on some rows and measured on others, for example a trial of a search on one part of its
/// rows. These are separate rows (`rows`, and `test` of the options), or with `folds` parts of `rows`.
struct side_by_side_trial {
  task_maker make{};        ///< prepare() of its model
  model_traits traits{};    ///< traits_of() its model
  train_options options{};  ///< as for a run of its own, `epochs` in all; `test`: the rows to measure
  sparse_view rows{};       ///< the rows to train on, or with `folds` to train and measure on
  /// The fold of each row; null: there are none. With folds the trial is trained on the rows outside the fold
  /// `held_out`, and measured on the rows in it, each of which counts once, whatever its weight. Trials may be alike
  /// only if their folds are the same object.
  std::shared_ptr<const std::vector<std::uint8_t>> folds{};
  std::uint32_t held_out = lane_rows::none;
  /// The engine that trains it; empty: the serial engine. The same for trials that are alike.
  std::function<std::shared_ptr<any_engine>()> engine{};
  /// Trials with the same text have the same model, rows and folds, and options that differ in options_of_a_lane only;
  /// either all have an l1 or none has.
  std::string alike{};
};

/// The result of a trial.
struct side_by_side_outcome {
  std::string refused{};    ///< why it cannot be trained: the config_error that a run of its own would throw
  std::size_t epochs = 0;   ///< epochs that it was brought up to
  std::size_t trained = 0;  ///< the same, or fewer if a tolerance ended it
  run_status ended = run_status::done;  ///< how, if a tolerance ended it
  measurement measured{};               ///< on its test rows; the loss is not finite if the model diverged
  std::vector<float> found{};           ///< true w, the bias behind the columns, if parameters are kept
};

/// Trains trials side by side, up to 32 by one pass over the rows ("lanes"): linear models under sgd, with one margin a
/// row or, without l1, a score for each class; and factorization machines under sgd or adagrad. Each thread has lanes
/// of its own. A trial's results do not depend on the other trials, except through the largest given step of all, which
/// determines how many rows see the same weights; parameters are kept between two calls. If trials have an engine, its
/// workers train them, one pass after the other; then a trial repeats exactly if a run by that engine does.
///
/// A separate run may take more rows at a time, and then ends slightly elsewhere. Steps that are not given are searched
/// as in a separate run, and a tolerance ends a trial as it ends a run. One caller at a time.
class trials_side_by_side {
 public:
  struct settings {
    std::size_t threads = 1;        ///< >= 1
    bool all_measures = true;       ///< all measures, or the loss alone
    bool sorts = true;              ///< whether measures that sort the rows are among these
    bool keeps_parameters = false;  ///< keeps the w that was found until a trial is forgotten
    std::stop_token stop{};
    /// Called after a pass with the number of trials in it, from any thread, several at a time; may be empty.
    std::function<void(std::size_t)> passed{};
  };

  /// Whether a trial of these options can be one of them, trained from a model's own beginning. `traits`: of its model;
  /// `rows`: its training rows.
  static bool suits(const train_options& options, const model_traits& traits, const sparse_view& rows);
  /// Whether a trial that suits may hold out a fold: its step is given, so that no step search uses the rows that it
  /// holds out, and one worker trains it.
  static bool suits_folds(const side_by_side_trial& trial);

  /// The rows outlive it.
  trials_side_by_side(std::vector<side_by_side_trial> trials, settings how);
  ~trials_side_by_side();

  /// Trains these trials, given by their positions, up to `epochs` epochs in all, and measures them. If asked to stop
  /// meanwhile, it leaves the epochs of unfinished trials as they were. Throws what preparing them throws, except for
  /// config_error, which is reported with the trial.
  void train(std::span<const std::size_t> which, std::size_t epochs);

  const side_by_side_outcome& outcome(std::size_t trial) const;
  /// Releases the memory of a trial that will not be asked for again.
  void forget(std::size_t trial);

 private:
  struct group;
  struct lane;
  using unit = std::vector<lane*>;

  group& group_of(const side_by_side_trial& of);
  void begin(lane& of);
  void begin_all(std::vector<lane*>& fresh);
  std::vector<unit> units_of(std::span<lane* const> lanes) const;
  void occupy_threads(std::vector<unit>& units) const;
  std::unique_ptr<lane_run> start(const unit& of) const;
  void train_unit(const unit& of, std::size_t epochs) const;

  std::vector<side_by_side_trial> trials_;
  settings how_;
  double largest_step_ = 0.0, largest_with_l1_ = 0.0;  ///< the largest of the given steps
  struct shared;
  std::unique_ptr<shared> shared_;  ///< groups and lanes
};

}  // namespace hogwild
