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
#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/run/lane_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/run_training.hpp>
#include <hogwild/detail/task/lane_table.hpp>
#include <hogwild/options.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// By which trials may differ that go through the rows together, as options of a command line.
inline constexpr std::array<std::string_view, 5> options_of_a_lane{"step", "decay", "schedule", "l1", "l2"};

/// A model that is trained on some rows and measured on others: a trial of a search on one part of its rows, say. These
/// are rows of their own (`rows`, and `test` of the options), or by `folds` all of `rows` together.
struct side_by_side_trial {
  task_maker make{};        ///< prepare() of its model
  model_traits traits{};    ///< traits_of() its model
  train_options options{};  ///< as a run of its own has them, `epochs` in all; `test`: what it is measured on
  sparse_view rows{};       ///< what it is trained on, or with `folds` on a part of
  /// Of each row its fold; null: there are none. Then the trial is trained on the rows that are not of the fold
  /// `held_out`, and measured on those that are, each of which counts once, whatever its weight. Trials may be alike
  /// whose folds are the same object.
  std::shared_ptr<const std::vector<std::uint8_t>> folds{};
  std::uint32_t held_out = lane_rows::none;
  /// Who trains it; empty: the serial engine. Of trials that are alike, the same.
  std::function<std::shared_ptr<any_engine>()> engine{};
  /// Trials with the same text have the same model, rows and folds, and options that differ in options_of_a_lane alone,
  /// all with an l1 or none.
  std::string alike{};
};

/// What has come of it.
struct side_by_side_outcome {
  std::string refused{};                ///< why it cannot be trained: what a run of its own would throw as config_error
  std::size_t epochs = 0;               ///< that it was brought up to
  std::size_t trained = 0;              ///< the same, or less where a tolerance ended it
  run_status ended = run_status::done;  ///< how, where a tolerance ended it
  measurement measured{};               ///< on its test rows; its loss is not finite where the model diverged
  std::vector<float> found{};           ///< true w, the bias behind the columns, where parameters are kept
};

/// Linear models under sgd, with one margin a row or without l1 a score of each class, and factorization machines,
/// under adagrad too, trained side by side, up to 32 by one pass over the rows ("lanes"). Each thread has lanes of its
/// own. A trial makes the same numbers whatever others it is trained with, up to the largest given step of all, by
/// which it is chosen how many rows see the same weights; between two calls its parameters are kept. Those with an
/// engine are trained by its workers, a pass after the other; then a trial repeats as a run by that engine does.
///
/// A run of its own may take more rows at a time, and ends a little elsewhere then. Steps that are not given are
/// found as it finds them, and its tolerance ends a trial as it ends a run. One caller at a time.
class trials_side_by_side {
 public:
  struct settings {
    std::size_t threads = 1;        ///< >= 1
    bool all_measures = true;       ///< or the loss alone
    bool sorts = true;              ///< for the area under the curve, which is left out else
    bool keeps_parameters = false;  ///< tell what was found, until a trial is forgotten
    std::stop_token stop{};
    /// Is told after a pass by how many trials it was, from any thread, several at a time; empty: nobody.
    std::function<void(std::size_t)> passed{};
  };

  /// Whether a trial of these options can be one of them, trained from a model's own beginning. `traits`: of its model;
  /// `rows`: of those that it will be trained on.
  static bool suits(const train_options& options, const model_traits& traits, const sparse_view& rows);
  /// Whether one that suits may hold out a fold: its step is given, so that nobody looks for one on rows that it holds
  /// out, and one worker trains it.
  static bool suits_folds(const side_by_side_trial& trial);

  /// The rows outlive it.
  trials_side_by_side(std::vector<side_by_side_trial> trials, settings how);
  ~trials_side_by_side();

  /// Brings these trials, by their positions, up to so many epochs in all, and measures them. Asked to stop meanwhile,
  /// it leaves the epochs of those that have not come so far as they were. Throws what preparing them throws, but for
  /// config_error, which is told with the trial.
  void train(std::span<const std::size_t> which, std::size_t epochs);

  const side_by_side_outcome& outcome(std::size_t trial) const;
  /// Nobody will ask for this trial again: what it holds is given back.
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
  double largest_step_ = 0.0, largest_with_l1_ = 0.0;  ///< of those that are given
  struct shared;
  std::unique_ptr<shared> shared_;  ///< groups and lanes
};

}  // namespace hogwild
