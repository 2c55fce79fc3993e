// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <hogwild/detail/loop/field_step.hpp>
#include <hogwild/detail/task/general_task.hpp>

namespace hogwild {

/// A model with factors for fields, on its rows: a general task, except that kernels train it under sgd and adagrad if
/// a worker has arrays of its own, or all share one and an add may be lost; and kernels measure it everywhere.
template <field_model M>
class field_task final : public general_task<M> {
 public:
  field_task(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : general_task<M>(m, data, std::move(labels), options) {}

  void work(const worker_context& at) const override {
    this->template work_by_kernels<kernels_may_race>(at, [&](const auto& sharing, const step_context& context) {
      with_factors<M>(sharing, context.options, [&]<class Factor>() {
        field_step<M, std::remove_cvref_t<decltype(sharing)>, Factor> step(sharing, model_, context, this->data_);
        worker_loop(at.store, at.slot, this->data_, at.plan.chunks, at.plan.options, step);
      });
    });
  }

  measurement evaluate(const param_store& store, double, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop) const override {
    const field_arrays from = model_.arrays_in(store.parameters<float>().data());
    const field_kernels& kernels = field_kernels_of(this->options_.dense_isa);
    const auto make = [&](std::size_t most) {
      return [&, space = model_.make_workspace(rows, this->options_.dense_isa, most)](
                 std::size_t k, const sparse_row<float>* z, std::size_t, std::span<row_score> scores) mutable {
        if (z != nullptr) return space.take(k, *z);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          const auto& example = space.example(i);
          const float s = kernels.score(from, example.row(), space.room(example));
          scores[i] = model_.measured(&s, example.label);
        }
      };
    };
    return evaluate_examples(rows, this->labels_, threads, batch_rows, make, all_measures, measure_scores, stop);
  }

  std::unique_ptr<training_task> on(const sparse_view& rows) const override {
    return std::make_unique<field_task>(model_, rows, this->labels_, this->options_alone());
  }

 private:
  using general_task<M>::model_;
};

}  // namespace hogwild
