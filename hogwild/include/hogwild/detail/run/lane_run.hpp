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

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// The settings in which a lane's model may differ from the others.
struct lane_settings {
  double l1 = 0.0;  ///< above 0 if and only if the models were made with an l1
  double l2 = 0.0;
  lane_rows rows{};
};

/// The state of a lane between two passes: v and a of its weights w = a v, v with the bias behind the columns; and the
/// optimiser's state of each parameter, if any.
struct lane_kept {
  std::vector<float> stored{};
  double scale = 1.0;
  std::vector<float> state{};
};

/// Margin models of one loss, linear models of several classes, or factorization machines, trained side by side by one
/// pass over the rows ("lanes"), for as many passes as the caller asks for. A lane can be given another model between
/// two passes without effect on the others. Under the serial engine each model has the same bits as if trained alone
/// with the same batch. Models of few columns differ by rounding, because kernels hold only a lone model in registers
/// (batches of one row). One caller at a time.
class lane_run {
 public:
  /// `alone`: one of the models on the rows; its step and l2 are ignored, and only whether it has an l1 counts; it
  /// outlives this. `lanes`: 8, 16 or 32. `largest_step`: of all models to come; it decides how workers share and,
  /// unless steps were found by a search, how many rows a batch has. `tried`: if steps were found by a search, one of
  /// the models on its own rows and labels, on which the engine's scaling of steps is tried; else null. Throws
  /// config_error if the model, its options or the engine do not suit: see lane_task::suits(). Engines may have workers
  /// in this process, or processes that it has started, but no devices. `note` hears of workers; it may be empty.
  lane_run(std::shared_ptr<const training_task> alone, const train_options& options, std::size_t lanes,
           double largest_step, std::shared_ptr<any_engine> engine, const training_task* tried = nullptr,
           const note_function& note = {});
  /// The same with a decided sharing, for example by plan() of another lane_run with the same engine.
  lane_run(std::shared_ptr<const training_task> alone, const loop_options& decided, std::size_t lanes,
           std::shared_ptr<any_engine> engine, const note_function& note = {});

  /// Whether lanes can do everything that this model needs: lane_task::suits() holds, and no option acts between epochs
  /// or makes updates that lanes do not have.
  static bool suits(const prepared_task& alone);

  /// The number of lanes: the largest of 8, 16 and 32 whose parameters fit into the second-level cache, for margin
  /// models into four times as much, but no more than `models` need. If none fits, up to 16 for margin models and 8 for
  /// others. `alone`: one of the models.
  static std::size_t lanes_for(const training_task& alone, std::size_t models);

  std::size_t lanes() const { return table_->lanes; }
  const loop_plan& plan() const { return plan_; }
  engine_run& workers() const { return *workers_; }
  /// How this engine changes a step that was found for a model alone (run_planner).
  const step_scaling& scaling() const { return scaling_; }
  bool trains(std::size_t k) const { return table_->of[k].trains; }
  /// `fold[r]`: the fold of row r of the dataset. Called before any lane is placed. Throws config_error if workers are
  /// processes.
  void deal(std::vector<std::uint8_t> fold);

  /// From now on lane k trains this model, from these parameters: true w, the bias behind the columns; empty: the
  /// model's initial parameters. Throws config_error if the number of parameters does not fit, if only one of the model
  /// and `alone` has an l1, or if a model of several classes has an l2 and `alone` has none, since columns were then
  /// not counted.
  void place(std::size_t k, const lane_settings& settings, std::span<const float> w = {});
  /// The same from the state that kept() returned; training goes on with the same bits as without the break.
  void place(std::size_t k, const lane_settings& settings, const lane_kept& from);
  lane_kept kept(std::size_t k) const;
  /// Makes lane k idle.
  void clear(std::size_t k);
  /// The model's initial parameters.
  std::vector<float> beginning() const;
  /// A pass over the rows with these steps, one for each lane. `pass` seeds the order of the rows. Throws config_error
  /// if step * l2 is 1 or more, except with l1. A request to stop ends it early: then the parameters are of no use.
  /// `measured`: the lanes that are measured after it, whose constant terms are moved to where the loss is least.
  void train(std::size_t pass, std::span<const double> steps, const std::stop_token& stop = {},
             std::bitset<most_lanes> measured = ~std::bitset<most_lanes>());
  /// Moves the constant terms of these lanes, which train, to where the loss is least.
  void minimise_constants(const std::bitset<most_lanes>& which, const std::stop_token& stop);
  /// The state of all lanes, to return to after a pass that ended early.
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
  /// The optimiser's state of all lanes; empty if it keeps none.
  std::span<float> state() const;
  std::vector<double> scales() const;
  void fold(const std::bitset<most_lanes>& which);
  bool proximal() const { return task_.options().proximal(); }
  void set_parts(std::size_t k);
  std::size_t rows_of(std::size_t k) const { return table_->rows_of(k, task_.data().rows()); }
  void settle(std::size_t k, double kept_step);

  std::shared_ptr<lane_table> table_;
  std::array<lane_settings, most_lanes> settings_{};
  lane_task task_;
  loop_plan plan_{};
  step_scaling scaling_{};
  std::shared_ptr<any_engine> engine_;
  std::unique_ptr<engine_run> workers_;
  std::unique_ptr<round_driver> rounds_;  ///< destroyed first
};

}  // namespace hogwild
