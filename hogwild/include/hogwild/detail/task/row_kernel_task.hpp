// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/loop/row_kernel_step.hpp>
#include <hogwild/detail/task/class_bound.hpp>
#include <hogwild/detail/task/general_task.hpp>

namespace hogwild {

/// A model that row kernels train, on its rows: a general task, except that kernels train it under sgd and adagrad if a
/// worker has arrays of its own; and kernels measure it everywhere.
template <row_kernel_model M>
class row_kernel_task final : public general_task<M> {
 public:
  row_kernel_task(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : general_task<M>(m, data, std::move(labels), options) {
    if constexpr (std::same_as<M, softmax>)
      this->facts_.convex = detail::has_class_bounds(data.rows(), this->labels_.classes());
  }

  void work(const worker_context& at) const override {
    this->work_by_kernels(at, [&](const auto& sharing, const step_context& context) {
      with_factors<M>(sharing, context.options, [&]<class Factor>() {
        with_row_types(this->data_, [&]<class Index, class Value>() {
          using sharing_type = std::remove_cvref_t<decltype(sharing)>;
          row_kernel_step<M, sharing_type, Factor, Index, Value> step(sharing, model_, context, this->data_);
          worker_loop(at.store, at.slot, this->data_, at.plan.chunks, at.plan.options, step);
        });
      });
    });
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop) const override {
    const auto from = model_.arrays_in(store.parameters<float>().data());
    measurement found;
    const bool lists = takes_lists<M>() && rows.label.lists();
    shared_list_counts counts(this->labels_.classes());
    with_row_types(rows, [&]<class Index, class Value>() {
      const auto& kernels = row_kernels_of<std::remove_const_t<decltype(from)>, Index, Value>(this->options_.isa);
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
                loss += weight * lists_of_rows.add(*this, rows, r, of_row);
                continue;
              }
              const float label = this->labels_.encode(rows.label[r]);
              const row_score v = model_.measured(of_row, label);
              loss += weight * v.loss;
              if (all_measures) scores[r] = v.score, targets[r] = label;
            }
          });
          return loss;
        };
      };
      found = evaluate_chunks(rows, this->labels_, threads, chunk_plan(rows.rows(), 1024), all_measures && !lists, make,
                              measure_scores, stop);
    });
    if (lists && all_measures && !stop.stop_requested()) return counts.measure(found.loss);
    return found;
  }

  std::optional<loss_bound> bound(std::span<const float> parameters, thread_team& threads, const agreement& ranks,
                                  const std::stop_token& stop) const override {
    if constexpr (std::same_as<M, softmax>)
      return detail::bound_of_classes(model_, this->data_, this->labels_, parameters,
                                      detail::constant_of(model_.bias, this->options_.freezes(1)), threads, ranks,
                                      stop);
    return std::nullopt;
  }

  const softmax* classes() const override { return model_as<softmax>(); }
  const factorization_machine* machine() const override { return model_as<factorization_machine>(); }

  std::unique_ptr<training_task> on(const sparse_view& rows) const override {
    return std::make_unique<row_kernel_task>(model_, rows, this->labels_, this->options_alone());
  }

 private:
  template <class Kind>
  const Kind* model_as() const {
    if constexpr (std::same_as<M, Kind>) return this->facts_.row_kernels ? &model_ : nullptr;
    return nullptr;
  }

  /// A thread's scorer for rows with lists.
  class list_rows {
   public:
    list_rows(shared_list_counts& counts, bool counted) : counts_(counted ? &counts.of_thread() : nullptr) {}

    /// The loss of row r, whose scores are `said`.
    double add(const row_kernel_task& task, const sparse_view& rows, std::size_t r, const float* said) {
      double loss = 0.0;
      if constexpr (takes_lists<M>()) {
        const auto given = task.labels_.encode_list(rows.label, r, classes_);
        if (counts_ != nullptr)
          counts_->add({said, counts_->classes()}, task.model_.decision(said), given, rows.weight_of(r));
        loss = task.model_.measured(said, given).loss;
      }
      return loss;
    }

   private:
    list_counts* counts_;
    std::vector<std::uint32_t> classes_;
  };

  using general_task<M>::model_;
};

}  // namespace hogwild
