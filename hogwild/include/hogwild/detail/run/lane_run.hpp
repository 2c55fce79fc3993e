// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/engines/any_engine.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// What tells a lane's model from the others.
struct lane_settings {
  double l1 = 0.0;  ///< above 0 where the models were made with one, and only there
  double l2 = 0.0;
  lane_rows rows{};
};

/// What a lane holds between two passes: v and a of its weights w = a v, v with the bias behind the columns; and what
/// the optimiser keeps of each parameter, if anything.
struct lane_kept {
  std::vector<float> stored{};
  double scale = 1.0;
  std::vector<float> state{};
};

/// Margin models of one loss, linear models of several classes, or factorization machines, that are trained side by
/// side by one pass over the rows ("lanes"), for as many passes as the caller asks for. A lane can be given another
/// model between two passes; the others do not notice. Under the serial engine each makes the same bits as it does
/// alone with the same batch; in models of few columns that kernels hold in registers alone (batches of one row) to
/// rounding. One caller at a time.
class lane_run {
 public:
  /// `alone`: one of the models on the rows, of which step and l2 do not count, and of l1 whether there is any; it
  /// outlives this. `lanes`: 8, 16 or 32.
  /// `largest_step`: of all that will come, by which it is chosen how workers share, and, unless steps were found by a
  /// search, how many rows a batch has. `tried`: where they were found, one of the models on its own rows and labels,
  /// by which it is tried how an engine scales them; else null. Throws config_error where the model, its options or the
  /// engine do not suit: see lane_task::suits(); engines are all whose workers are of this process, or processes that
  /// it has started, but devices. `note` is told what becomes of workers; it may be empty.
  lane_run(std::shared_ptr<const training_task> alone, const train_options& options, std::size_t lanes,
           double largest_step, std::shared_ptr<any_engine> engine, const training_task* tried = nullptr,
           const note_function& note = {});
  /// The same with a sharing that was decided, by plan() of another one with the same engine say.
  lane_run(std::shared_ptr<const training_task> alone, const loop_options& decided, std::size_t lanes,
           std::shared_ptr<any_engine> engine, const note_function& note = {});

  /// Whether lanes do what is asked of this model: the same as lane_task::suits(), and no option that counts between
  /// epochs, or makes updates that lanes do not have.
  static bool suits(const prepared_task& alone);

  /// As many lanes, of 8, 16 and 32, as keep the parameters in the second-level cache, or of margin models in four
  /// times as much, and no more than `models` need; where none do, 16 of margin models and 8 of others. `alone`: one of
  /// them.
  static std::size_t lanes_for(const training_task& alone, std::size_t models);

  std::size_t lanes() const { return table_->lanes; }
  const loop_plan& plan() const { return plan_; }
  engine_run& workers() const { return *workers_; }
  /// What becomes of a step that was found for a model alone, where this engine takes another (run_planner).
  const step_scaling& scaling() const { return scaling_; }
  bool trains(std::size_t k) const { return table_->of[k].trains; }
  /// `fold[r]`: of which fold row r of the dataset is. Before any lane is placed. Throws config_error where workers are
  /// processes.
  void deal(std::vector<std::uint8_t> fold);

  /// From here on lane k trains this model, from these parameters: true w, the bias behind the columns; empty: those
  /// that the model has alone before anybody trains it.
  /// Throws config_error where the number of parameters does not fit, or the model has an l1 and `alone` none, or none
  /// where that has one; or of several classes an l2 where `alone` has none, so that nobody has counted columns.
  void place(std::size_t k, const lane_settings& settings, std::span<const float> w = {});
  /// The same with what kept() has put aside, to the bits that it would have come to without the break.
  void place(std::size_t k, const lane_settings& settings, const lane_kept& from);
  lane_kept kept(std::size_t k) const;
  /// Lane k stands idle.
  void clear(std::size_t k);
  /// The parameters that a model has before anybody trains it.
  std::vector<float> beginning() const;
  /// A pass over the rows with these steps, one for each lane. `pass` seeds the order of the rows. Throws config_error
  /// where step * l2 is 1 or more, but with l1. A request to stop ends it early: then the parameters are of no use.
  void train(std::size_t pass, std::span<const double> steps, const std::stop_token& stop = {});
  /// What all lanes hold, for going back to it after a pass that was ended early.
  struct all_kept {
    std::vector<float> stored{}, state{};
    std::vector<lane_round> of{};
  };
  all_kept kept() const;
  void go_back(const all_kept& to);

  /// True w of lane k.
  std::vector<float> parameters(std::size_t k) const;
  /// lane_task::measure() of all lanes.
  std::vector<measurement> measure(const sparse_view& rows, lane_task::rows_of_lane which, bool all_measures,
                                   measure_function scored = measure_scores) const;
  /// l1 ||w||_1 + l2 / 2 ||w||^2 of each lane.
  std::vector<double> penalties() const;

 private:
  void start(const note_function& note);
  /// What the optimiser keeps of all lanes; empty where it keeps nothing.
  std::span<float> state() const;
  std::vector<double> scales() const;
  void fold(const std::bitset<most_lanes>& which);
  bool proximal() const { return task_.options().proximal(); }
  void set_parts(std::size_t k);
  std::size_t rows_of(std::size_t k) const { return table_->rows_of(k, task_.data().rows()); }
  void settle(std::size_t k, double kept_step);
  void minimise_constants(const std::bitset<most_lanes>& which, const std::stop_token& stop);

  std::shared_ptr<lane_table> table_;
  std::array<lane_settings, most_lanes> settings_{};
  lane_task task_;
  loop_plan plan_{};
  step_scaling scaling_{};
  std::shared_ptr<any_engine> engine_;
  std::unique_ptr<engine_run> workers_;
  std::unique_ptr<round_driver> rounds_;  ///< goes first
};

}  // namespace hogwild
