// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include <hogwild/detail/loop/factor_step.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/sharing/whole_array.hpp>
#include <hogwild/detail/task/general_task.hpp>

namespace hogwild {

/// A factor model on its ratings: a general task, except that kernels train it if workers have arrays of their own, own
/// the rows that they change, or share them without guarantees.
template <factor_model M>
class factor_task final : public general_task<M> {
 public:
  factor_task(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : general_task<M>(m, data, std::move(labels), options) {}

  void work(const worker_context& at) const override {
    with_sharing<float, sharing_choices::whole>(at, this->facts_.groups, this->data_.columns, no_singletons,
                                                [&](const auto& sharing) {
                                                  if (!this->facts_.rating_kernels() || !by_kernels(at, sharing))
                                                    this->train_with(at, sharing);
                                                });
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop) const override {
    const factor_arrays to = arrays_of(model_, store.parameters<float>().data());
    const auto w = param_view<float>(store.parameters<float>()).reader();
    const factor_kernels& kernels = factor_kernels_of(this->options_.dense_isa);
    return evaluate_rows(
        rows, this->labels_, threads,
        [&](const sparse_row<float>& z) -> row_score {
          float score = 0.0f;
          if (z.size() == 2 && z.index[0] < model_.users && z.index[1] - model_.users < model_.items) {
            const rating one{z.index[0], static_cast<std::uint32_t>(z.index[1] - model_.users), 0.0f};
            kernels.scores(to, &one, 1, &score);
          } else {
            score = model_.predict(w, z);
          }
          return {M::loss_of(score, z.label), score};
        },
        all_measures, measure_scores, stop);
  }

  std::unique_ptr<training_task> on(const sparse_view& rows) const override {
    return std::make_unique<factor_task>(model_, rows, this->labels_, this->options_alone());
  }

 private:
  /// The shared arrays, for workers that own what they change.
  class owned_array : public whole_array {
   public:
    using tickets = block_source;
    using whole_array::whole_array;
  };

  /// Trains by kernels if they can train on such arrays; false: nothing was trained.
  template <class Sharing>
  bool by_kernels(const worker_context& at, const Sharing& sharing) const {
    constexpr bool own = std::same_as<Sharing, private_sharing<float>>;
    constexpr bool shared = std::same_as<Sharing, direct_sharing<float, update::lossy>>;
    const bool alone = own && at.plan.options.sharing == access_kind::alone;
    if constexpr (own || shared) {
      // A single worker goes by blocks too: tickets stand for blocks, whoever joins later.
      if (at.plan.blocks && (alone || shared)) return train(at, owned_array(at.store, at.slot)), true;
    }
    if constexpr (shared && kernels_may_race) return train(at, whole_array(at.store, at.slot)), true;
    if constexpr (own || std::same_as<Sharing, deterministic_sharing<float>>) {
      if (alone || at.plan.options.optimizer == optimizer_kind::sgd) return train(at, sharing), true;
    }
    return false;
  }

  const rating_list& ratings(const loop_plan& plan) const {
    if (plan.blocks) return *plan.blocks;
    std::call_once(listed_, [this] { in_order_ = ratings_of(this->data_, model_.users, model_.items); });
    return in_order_;
  }

  template <class Sharing>
  void train(const worker_context& at, const Sharing& sharing) const {
    const step_context context = this->context_of(at);
    factor_step<M, Sharing> step(sharing, model_, context, ratings(at.plan));
    worker_loop(at.store, at.slot, this->data_, at.plan.chunks, at.plan.options, step);
  }

  using general_task<M>::model_;
  mutable rating_list in_order_;  ///< made when the first worker needs it
  mutable std::once_flag listed_;
};

}  // namespace hogwild
