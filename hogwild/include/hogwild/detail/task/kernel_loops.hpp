// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>

#include <hogwild/detail/loop/edge_groups.hpp>
#include <hogwild/detail/loop/edge_step.hpp>
#include <hogwild/detail/loop/factor_step.hpp>
#include <hogwild/detail/loop/field_step.hpp>
#include <hogwild/detail/loop/pairwise_step.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/model/kernel_models.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/task/edge_sums.hpp>
#include <hogwild/detail/task/evaluate.hpp>

namespace hogwild {

template <free_model M>
class general_task;
struct worker_context;

/// How kernels train and measure a model. The members of the model say which kernels it has
/// (detail/model/kernel_models.hpp); each kind of kernels has a specialisation. This is for models without kernels.
template <free_model M>
class kernel_loops {
 public:
  explicit kernel_loops(const general_task<M>&) {}

  /// Does worker_side::work() on these arrays if there are kernels for them and for the run's options. Returns whether
  /// there are; if not, it trains nothing.
  template <class Sharing>
  bool train(const worker_context&, const Sharing&) const {
    return false;
  }
  // A specialisation may have evaluate(), like coordinator_side; it returns nothing if kernels do not measure a model.
};

/// Kernels train a factor model on its ratings if workers have arrays of their own, own the rows that they change, or
/// share an array without guarantees.
template <factor_model M>
class kernel_loops<M> {
 public:
  explicit kernel_loops(const general_task<M>& task) : task_(task) {}

  template <class Sharing>
  bool train(const worker_context& at, const Sharing& sharing) const {
    constexpr bool own = Sharing::traits.owns();
    constexpr bool shared = Sharing::traits.races;
    const auto on = [&]<class Arrays>(const Arrays& arrays) {
      const step_context context = task_.context_of(at);
      factor_step<M, Arrays> step(arrays, task_.model(), context, ratings(at.plan));
      worker_loop(at.store, at.slot, task_.data(), at.plan.chunks, at.plan.options, step);
      return true;
    };
    if (!task_.facts().rating_kernels()) return false;
    const bool alone = own && at.plan.options.sharing == access_kind::alone;
    if constexpr (own || shared) {
      // A single worker trains by blocks too, because tickets stand for blocks and others may join later.
      if (at.plan.blocks && (alone || shared)) return on(owned_array(at.store, at.slot));
    }
    if constexpr (shared && kernels_may_race) return on(whole_array(at.store, at.slot));
    if constexpr (own) {
      if (alone || at.plan.options.optimizer == optimizer_kind::sgd) return on(sharing);
    }
    return false;
  }

  std::optional<measurement> evaluate(const param_store& store, const sparse_view& rows, thread_team& threads,
                                      bool all_measures, const std::stop_token& stop) const {
    const M& m = task_.model();
    const factor_arrays to = arrays_of(m, store.parameters<float>().data());
    const auto w = param_view<float>(store.parameters<float>()).reader();
    const factor_kernels& kernels = factor_kernels_of(task_.options().dense_isa);
    return evaluate_rows(
        rows, task_.labels(), threads,
        [&](const sparse_row<float>& z) -> row_score {
          float score = 0.0f;
          if (z.size() == 2 && z.index[0] < m.users && z.index[1] - m.users < m.items) {
            const rating one{z.index[0], static_cast<std::uint32_t>(z.index[1] - m.users), 0.0f};
            kernels.scores(to, &one, 1, &score);
          } else {
            score = m.predict(w, z);
          }
          return {m.loss_of(score, z.label), score};
        },
        all_measures, measure_scores, stop);
  }

 private:
  /// The shared arrays, for workers that own what they change.
  class owned_array : public whole_array {
   public:
    using whole_array::whole_array;
    std::unique_ptr<ticket_source> tickets(const worker_round& at) const { return std::make_unique<block_source>(at); }
  };

  const rating_list& ratings(const loop_plan& plan) const {
    if (plan.blocks) return *plan.blocks;
    std::call_once(listed_, [this] { in_order_ = ratings_of(task_.data(), task_.model().users, task_.model().items); });
    return in_order_;
  }

  const general_task<M>& task_;
  mutable rating_list in_order_;  ///< made when the first worker needs it
  mutable std::once_flag listed_;
};

/// Kernels train a pairwise model if a worker has arrays of its own, or all share one and an add may be lost.
template <pairwise_model M>
class kernel_loops<M> {
 public:
  explicit kernel_loops(const general_task<M>& task) : task_(task) {}

  template <class Sharing>
  bool train(const worker_context& at, const Sharing& sharing) const {
    constexpr bool own = Sharing::traits.owns();
    const auto on = [&]<class Arrays>(const Arrays& arrays) {
      std::call_once(listed_, [this] { pairs_ = ratings_of(task_.data(), task_.model().users, task_.model().items); });
      const step_context context = task_.context_of(at);
      pairwise_step<M, Arrays> step(arrays, task_.model(), context, pairs_.ratings, task_.side());
      worker_loop(at.store, at.slot, task_.data(), at.plan.chunks, at.plan.options, step);
      return true;
    };
    if (!task_.facts().pair_kernels) return false;
    if constexpr (Sharing::traits.races && kernels_may_race) return on(whole_array(at.store, at.slot));
    if constexpr (own) {
      if (at.plan.options.sharing == access_kind::alone || at.plan.options.optimizer == optimizer_kind::sgd)
        return on(sharing);
    }
    return false;
  }

 private:
  const general_task<M>& task_;
  mutable rating_list pairs_;  ///< made when the first worker needs it
  mutable std::once_flag listed_;
};

/// Kernels train a model with factors for fields under sgd and adagrad if a worker has arrays of its own, or all share
/// one and an add may be lost; they always measure it.
template <field_model M>
class kernel_loops<M> {
 public:
  explicit kernel_loops(const general_task<M>& task) : task_(task) {}

  template <class Sharing>
  bool train(const worker_context& at, const Sharing& sharing) const {
    const auto on = [&]<class Arrays>(const Arrays& arrays) {
      const step_context context = task_.context_of(at);
      with_factors<M>(arrays, context.options, [&]<class Factor>() {
        field_step<M, Arrays, Factor> step(arrays, task_.model(), context, task_.data());
        worker_loop(at.store, at.slot, task_.data(), at.plan.chunks, at.plan.options, step);
      });
      return true;
    };
    if (!task_.facts().row_kernels) return false;
    if constexpr (Sharing::traits.whole_state()) return on(sharing);
    if constexpr (kernels_may_race && Sharing::traits.races) return on(whole_array(at.store, at.slot));
    return false;
  }

  std::optional<measurement> evaluate(const param_store& store, const sparse_view& rows, thread_team& threads,
                                      bool all_measures, const std::stop_token& stop) const {
    const M& m = task_.model();
    const field_arrays from = m.arrays_in(store.parameters<float>().data());
    const isa set = task_.options().dense_isa;
    const field_kernels& kernels = field_kernels_of(set);
    const auto make = [&](std::size_t most) {
      return [&, space = m.make_workspace(rows, set, most)](std::size_t k, const sparse_row<float>* z, std::size_t,
                                                            std::span<row_score> scores) mutable {
        if (z != nullptr) return space.take(k, *z);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          const auto& example = space.example(i);
          const float s = kernels.score(from, example.row(), space.room(example));
          scores[i] = m.measured(&s, example.label);
        }
      };
    };
    return evaluate_examples(rows, task_.labels(), threads, batch_rows, make, all_measures, measure_scores, stop);
  }

 private:
  const general_task<M>& task_;
};

/// Kernels train a cut into two sides if workers have arrays of their own or share them without guarantees; they always
/// measure it.
template <cut_model M>
class kernel_loops<M> {
 public:
  explicit kernel_loops(const general_task<M>& task) : task_(task) {}

  template <class Sharing>
  bool train(const worker_context& at, const Sharing& sharing) const {
    constexpr bool own = Sharing::traits.owns();
    const auto on = [&]<class Arrays>(const Arrays& arrays) {
      const step_context context = task_.context_of(at);
      const auto groups = groups_of_chunks(at.plan.chunks);
      edge_step<Arrays> step(arrays, context, task_.data(), *groups, task_.model().nodes, task_.model().unit);
      worker_loop(at.store, at.slot, task_.data(), at.plan.chunks, at.plan.options, step);
      return true;
    };
    if (!task_.facts().edge_kernels) return false;
    if constexpr (Sharing::traits.races && kernels_may_race) return on(whole_array(at.store, at.slot));
    if constexpr (own) {
      // In lockstep all meet after the same number of rows, not at the end of a window.
      if (!in_lockstep(at.plan.options.sharing)) return on(sharing);
    }
    return false;
  }

  std::optional<measurement> evaluate(const param_store& store, const sparse_view& rows, thread_team& threads,
                                      bool all_measures, const std::stop_token& stop) const {
    const M& m = task_.model();
    if (m.sides != 2) return std::nullopt;
    const two_sides sides{
        .at = store.parameters<float>().first(2 * m.nodes), .terminals = m.terminals_of(rows), .unit = m.unit};
    return measure_edges(sides, cut_kernels_of(task_.options().isa), rows, threads, all_measures, stop);
  }

 private:
  /// Made when the first worker asks for them, and kept for the others.
  std::shared_ptr<const edge_groups> groups_of_chunks(const chunk_plan& chunks) const {
    const std::lock_guard lock(making_);
    if (!made_ || made_->rows_per_chunk != chunks.rows_per_chunk()) {
      made_ = std::make_shared<const edge_groups>(
          edge_groups_of(task_.data(), task_.model().nodes, task_.model().terminals_of(task_.data()), chunks));
    }
    return made_;
  }

  const general_task<M>& task_;
  mutable std::mutex making_;
  mutable std::shared_ptr<const edge_groups> made_;
};

}  // namespace hogwild
