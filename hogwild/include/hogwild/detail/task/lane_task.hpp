// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Models trained side by side on the same rows, by their lane_loops. Values for the whole task are means over its
/// models; the table has each lane's own scale of the weights.
class lane_task final : public training_task {
 public:
  /// `alone` is one of the models. Workers read the table while they train.
  lane_task(std::shared_ptr<const training_task> alone, std::shared_ptr<const lane_table> table);

  /// Whether models of this task may be trained side by side: it has lane_loops for the optimiser, no second pass and
  /// no frozen group, and rows have one label each.
  static bool suits(const training_task& alone);

  /// Whether eight models take less time side by side than one after the other.
  static bool pays(const training_task& alone);

  /// How many weights a model of this task has.
  static std::size_t weights_of(const training_task& alone);
  std::size_t weights() const { return weights_of(*alone_); }
  const training_task& alone() const { return *alone_; }
  /// Whether l2 shrinks the scale of the weights; else rows apply it to the columns that they touch.
  bool shrinks() const { return alone_->facts().scaled; }

  void initialise(const param_store&) const override {}  // lane by lane
  void fill(std::span<float> parameters) const override { alone_->fill(parameters); }
  void work(const worker_context& at) const override;
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop, std::size_t lists) const override;
  double smoothness() const override { return alone_->smoothness(); }
  double squared_norm(const param_store& store, double scale, thread_team& threads) const override;
  void fold(const param_store& store, double scale, thread_team& threads) const override;
  std::vector<float> parameters_of(const param_store& store, double scale) const override;
  std::unique_ptr<training_task> on(const sparse_view& rows) const override;

  /// The rows that a lane is measured on.
  enum class rows_of_lane { all, trained_on, held_out };
  /// Each lane's measures on its rows among these, with w = scale[k] * v for the stored v: all measures, by `scored`,
  /// or the loss alone. margin_loss::losses() computes the losses; those of lanes that do not train are not numbers.
  /// The result is the same for any number of threads.
  std::vector<measurement> measure(const param_store& store, std::span<const double> scale, const sparse_view& rows,
                                   rows_of_lane which, bool all_measures, thread_team& threads,
                                   measure_function scored = measure_scores) const;

 private:
  std::shared_ptr<const training_task> alone_;
  std::shared_ptr<const lane_table> table_;
};

/// A table for models of which `alone` is one. Throws config_error unless `lanes` is 8, 16 or 32.
std::shared_ptr<lane_table> lane_table_for(const training_task& alone, std::size_t lanes);

/// The task of a worker process whose run trains `lanes` models, of which `alone` is one. The supervisor's table is in
/// the store, and its rows begin at `place` in their dataset. Throws segment_error if the store has no such table.
std::unique_ptr<training_task> lanes_of_worker(std::unique_ptr<training_task> alone, std::size_t lanes,
                                               std::size_t place, const param_store& store);

/// minimise_constant() (model_constant.hpp) for models side by side, of which `alone` is one: for each lane in `which`,
/// on its training rows, with the bits of a model alone. Lane k's weights are scale[k] * v for the stored v. After a
/// request to stop some constants may be unchanged.
void minimise_lane_constants(const training_task& alone, const lane_table& table, const param_store& store,
                             std::span<const double> scale, const std::bitset<most_lanes>& which, thread_team& threads,
                             const std::stop_token& stop = {});

}  // namespace hogwild
