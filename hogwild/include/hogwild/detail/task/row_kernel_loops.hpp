// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/loop/row_kernel_step.hpp>
#include <hogwild/detail/loop/row_lane_step.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/kernel_loops.hpp>
#include <hogwild/detail/task/lane_loops.hpp>
#include <hogwild/detail/task/linear_classes.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// Row kernels train a model under sgd and adagrad if a worker has arrays of its own, and always measure it.
template <row_kernel_model M>
class kernel_loops<M> final : public lane_loops {
 public:
  explicit kernel_loops(const general_task<M>& task) : task_(task) {
    if constexpr (linear_class_model<M>) classes_.emplace(task.model());
  }

  const linear_classes* classes() const { return classes_ ? &*classes_ : nullptr; }
  const lane_loops* lanes() const { return task_.facts().row_kernels ? this : nullptr; }

  template <class Sharing>
  bool train(const worker_context& at, const Sharing& sharing) const {
    if (!task_.facts().row_kernels) return false;
    if constexpr (Sharing::traits.whole_state()) {
      const step_context context = task_.context_of(at);
      with_factors<M>(sharing, context.options, [&]<class Factor>() {
        with_row_types(task_.data(), [&]<class Index, class Value>() {
          row_kernel_step<M, Sharing, Factor, Index, Value> step(sharing, task_.model(), context, task_.data());
          worker_loop(at.store, at.slot, task_.data(), at.plan.chunks, at.plan.options, step);
        });
      });
      return true;
    }
    return false;
  }

  std::optional<measurement> evaluate(const param_store& store, const sparse_view& rows, thread_team& threads,
                                      bool all_measures, const std::stop_token& stop) const {
    const M& m = task_.model();
    const label_map& labels = task_.labels();
    const auto from = m.arrays_in(store.parameters<float>().data());
    measurement found;
    const bool lists = takes_lists<M>() && rows.label.lists();
    shared_list_counts counts(labels.classes(), task_.inverse_propensities_of_rows());
    with_row_types(rows, [&]<class Index, class Value>() {
      const auto& kernels = row_kernels_of<kernel_arrays_of<M>, Index, Value>(task_.options().isa);
      const auto make = [&] {
        return [&, batch = batch_on<Index, Value>(rows), said = std::vector<float>(batch_rows * from.scores()),
                lists_of_rows = list_rows(counts, lists && all_measures)](const chunk& work, std::span<float> scores,
                                                                          std::span<float> targets) mutable {
          double loss = 0.0;
          for_few_rows(work, stop, [&](std::size_t first, const auto& few) {
            take_rows(batch, rows, few);
            kernels.scores(from, batch, said.data());
            for (const std::size_t r : few) {
              float* const of_row = said.data() + (r - first) * from.scores();
              const auto weight = static_cast<double>(rows.weight_of(r));
              if (lists) {
                loss += weight * lists_of_rows.add(m, labels, rows, r, of_row);
                continue;
              }
              const float label = labels.encode(rows.label[r]);
              const row_score v = m.measured(of_row, label);
              loss += weight * v.loss;
              if (all_measures) scores[r] = v.score, targets[r] = label;
            }
          });
          return loss;
        };
      };
      found = evaluate_chunks(rows, labels, threads, chunk_plan(rows.rows(), 1024), all_measures && !lists, make,
                              measure_scores, stop);
    });
    if (lists && all_measures && !stop.stop_requested()) return counts.measure(found.loss);
    return found;
  }

  bool takes(optimizer_kind by) const override {
    return by == optimizer_kind::sgd || (by == optimizer_kind::adagrad && !is_linear<M>());
  }
  bool pays(std::size_t columns, optimizer_kind by) const override { return lanes_pay(task_.model(), columns, by); }

  void train_lanes(const worker_context& at, const step_context& context, const training_task& lanes,
                   const lane_table& table) const override {
    const M& m = task_.model();
    const sparse_view& data = lanes.data();
    const auto on = [&]<class Sharing>(const Sharing& sharing) {
      const auto loop = [&](auto&& step) {
        worker_loop(at.store, at.slot, data, at.plan.chunks, at.plan.options, step);
      };
      if constexpr (Sharing::traits.whole_state())
        with_row_types(data, [&]<class Index, class Value>() {
          loop(row_lane_batch<M, Sharing, Index, Value>(sharing, m, table, context, data));
        });
      else if (context.options.optimizer == optimizer_kind::sgd)
        loop(general_lane_step<M, sgd, Sharing>(sharing, m, table, context, data));
      else if constexpr (Sharing::traits.has_state)
        loop(general_lane_step<M, block_optimizer, Sharing>(sharing, m, table, context, data));
      else
        throw_untrained(model_name<M>(), at.plan.options);
    };
    with_sharing<float, sharing_choices::whole>(at, lanes.facts().groups, data.columns, no_singletons, on);
  }

  lane_scorer scorer(const training_task& lanes, const lane_table& table, const sparse_view& rows, const float* w,
                     std::span<const double>) const override {
    lane_scorer made;
    with_row_types(rows, [&]<class Index, class Value>() {
      using kernels_of_lanes = row_lanes<kernel_arrays_of<M>, Index, Value>;
      kernels_of_lanes kernels(task_.model(), lanes.data().columns, table.lanes, lanes.options().isa);
      std::vector<float> all(kernels.scores() * table.lanes), one(kernels.scores());
      made = [&m = task_.model(), &labels = lanes.labels(), &rows, w, n = table.lanes, kernels, all, one,
              batch = batch_on<Index, Value>(rows)](std::span<const std::size_t> drawn, bool, float* score,
                                                    float* label, double* loss) mutable {
        for (std::size_t b = 0, at = 0; b < drawn.size(); ++b, at += n) {
          take_rows(batch, rows, drawn.subspan(b, 1));
          kernels.score(w, batch, all.data());
          const float given = labels.encode(rows.label[drawn[b]]);
          for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t c = 0; c < one.size(); ++c) one[c] = all[c * n + k];
            const row_score said = m.measured(one.data(), given);
            score[at + k] = said.score, label[at + k] = given, loss[at + k] = said.loss;
          }
        }
      };
    });
    return made;
  }

 private:
  /// A thread's scorer for rows with lists.
  class list_rows {
   public:
    list_rows(shared_list_counts& counts, bool counted) : counts_(counted ? &counts.of_thread() : nullptr) {}

    /// The loss of row r, whose scores are `said`.
    double add(const M& m, const label_map& labels, const sparse_view& rows, std::size_t r, const float* said) {
      double loss = 0.0;
      if constexpr (takes_lists<M>()) {
        const auto given = labels.encode_list(rows.label, r, classes_);
        if (counts_ != nullptr) counts_->add({said, counts_->classes()}, m.decision(said), given, rows.weight_of(r));
        loss = m.measured(said, given).loss;
      }
      return loss;
    }

   private:
    list_counts* counts_;
    std::vector<std::uint32_t> classes_;
  };

  const general_task<M>& task_;
  std::optional<linear_classes> classes_{};
};

}  // namespace hogwild
