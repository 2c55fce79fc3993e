// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/loop/edge_groups.hpp>
#include <hogwild/detail/loop/edge_step.hpp>
#include <hogwild/detail/sharing/whole_array.hpp>
#include <hogwild/detail/task/edge_sums.hpp>
#include <hogwild/detail/task/general_task.hpp>

namespace hogwild {

/// A cut on its graph: a general task, except that kernels train a cut into two sides if workers have arrays of their
/// own or share them without guarantees, and kernels measure it everywhere.
template <cut_model M>
class cut_task final : public general_task<M> {
 public:
  using general_task<M>::general_task;

  void work(const worker_context& at) const override {
    with_sharing<float, sharing_choices::whole>(at, this->facts_.groups, this->data_.columns, no_singletons,
                                                [&](const auto& sharing) {
                                                  if (!this->facts_.edge_kernels || !by_kernels(at, sharing))
                                                    this->train_with(at, sharing);
                                                });
  }

  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop) const override {
    if (model_.sides != 2) return general_task<M>::evaluate(store, scale, rows, threads, all_measures, stop);
    const two_sides sides{.at = store.parameters<float>().first(2 * model_.nodes),
                          .terminals = model_.terminals_of(rows),
                          .unit = model_.unit};
    return measure_edges(sides, cut_kernels_of(this->options_.isa), rows, threads, all_measures, stop);
  }

  std::unique_ptr<training_task> on(const sparse_view& rows) const override {
    return std::make_unique<cut_task>(model_, rows, this->labels_, this->options_alone());
  }

 private:
  /// Trains by kernels if they can train on such arrays; false: nothing was trained.
  template <class Sharing>
  bool by_kernels(const worker_context& at, const Sharing& sharing) const {
    constexpr bool own = std::same_as<Sharing, private_sharing<float>>;
    if constexpr (std::same_as<Sharing, direct_sharing<float, update::lossy>> && kernels_may_race)
      return train(at, whole_array(at.store, at.slot)), true;
    if constexpr (own || std::same_as<Sharing, deterministic_sharing<float>>) {
      // In lockstep all meet after the same number of rows, not at the end of a window.
      if (!in_lockstep(at.plan.options.sharing)) return train(at, sharing), true;
    }
    return false;
  }

  template <class Sharing>
  void train(const worker_context& at, const Sharing& sharing) const {
    const loop_options& o = at.plan.options;
    const step_context context{this->labels_, this->data_.degree, this->all_rows(), o, this->data_.rows()};
    const auto groups = groups_of_chunks(at.plan.chunks);
    edge_step<Sharing> step(sharing, context, this->data_, *groups, model_.nodes, model_.unit);
    worker_loop(at.store, at.slot, this->data_, at.plan.chunks, o, step);
  }

  /// Made when the first worker asks for them, and kept for the others.
  std::shared_ptr<const edge_groups> groups_of_chunks(const chunk_plan& chunks) const {
    const std::lock_guard lock(making_);
    if (!made_ || made_->rows_per_chunk != chunks.rows_per_chunk()) {
      made_ = std::make_shared<const edge_groups>(
          edge_groups_of(this->data_, model_.nodes, model_.terminals_of(this->data_), chunks));
    }
    return made_;
  }

  using general_task<M>::model_;
  mutable std::mutex making_;
  mutable std::shared_ptr<const edge_groups> made_;
};

}  // namespace hogwild
