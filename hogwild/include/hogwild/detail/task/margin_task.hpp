// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// A margin model on its data. It uses the model's loss alone, so that it is compiled once, in the library.
class margin_task final : public training_task, private lane_loops {
 public:
  /// `kept` owns what `loss` refers to.
  margin_task(std::shared_ptr<const void> kept, const margin_loss& loss, task_facts facts, const sparse_view& data,
              label_map labels, const loop_options& options);

  const margin_loss* margin() const override { return &loss_; }
  const lane_loops* lanes() const override { return this; }
  void initialise(const param_store&) const override {}
  void work(const worker_context& at) const override;
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop, std::size_t lists) const override;
  double smoothness() const override { return hogwild::smoothness(loss_, data_.label); }
  double squared_norm(const param_store& store, double scale, thread_team& threads) const override;
  double absolute_sum(const param_store& store, thread_team& threads) const override;
  std::optional<loss_bound> bound(std::span<const float> parameters, thread_team& threads, const agreement& ranks,
                                  const std::stop_token& stop) const override;
  void settle(const param_store& store, std::size_t epoch, double step, thread_team& threads) const override;
  void fold(const param_store& store, double scale, thread_team& threads) const override;
  std::vector<float> parameters_of(const param_store& store, double scale) const override;
  std::unique_ptr<training_task> on(const sparse_view& rows) const override;

 private:
  bool takes(optimizer_kind by) const override { return by == optimizer_kind::sgd; }
  bool pays(std::size_t, optimizer_kind) const override { return true; }
  void train_lanes(const worker_context& at, const step_context& context, const training_task& lanes,
                   const lane_table& table) const override;
  lane_scorer scorer(const training_task& lanes, const lane_table& table, const sparse_view& rows, const float* v,
                     std::span<const double> scale) const override;

  template <template <class> class Step, class Sharing>
  void row_by_row(const worker_context& at, const Sharing& sharing) const;
  template <template <class, class, class> class Step, class Sharing>
  void by_batches(const worker_context& at, const Sharing& sharing) const;

  std::shared_ptr<const void> kept_;
  margin_loss loss_;
};

}  // namespace hogwild
