// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/task/task_facts.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

template <free_model M>
class general_task;
template <margin_model M>
struct projected_margin;

/// The type that a model is trained as: its own, except for margin models with project(). Loops of margin models store
/// weights scaled, in which form they cannot be projected.
template <class M>
struct trained_as {
  using type = M;  ///< the model itself
};
/// A margin model with project().
template <margin_model M>
requires projects_runs<M, float>
struct trained_as<M> {
  using type = projected_margin<M>;  ///< stores weights unscaled
};
template <class M>
using trained_as_t = typename trained_as<M>::type;

/// The task of a margin model. It is compiled once for all models, because it uses only the loss. `kept` owns the model
/// that `loss` refers to.
std::unique_ptr<training_task> make_margin_task(std::shared_ptr<const void> kept, const margin_loss& loss,
                                                task_facts facts, const sparse_view& data, label_map labels,
                                                const loop_options& options);
/// The task of a free model, with a worker loop for every way of sharing: general_model.hpp defines it.
template <free_model M>
std::unique_ptr<training_task> make_general_task(const M& m, const sparse_view& data, label_map labels,
                                                 const loop_options& options);
/// The same for a model of the library, which contains the compiled task: programs compile tasks only for their own
/// models.
template <free_model M>
std::unique_ptr<training_task> make_library_task(const M& m, const sparse_view& data, label_map labels,
                                                 const loop_options& options);

/// A model on its data, ready for an engine. The data must outlive the task.
template <model M>
std::unique_ptr<training_task> make_task(const M& m, const sparse_view& data, label_map labels,
                                         const loop_options& options) {
  if constexpr (margin_model<M>) {
    const auto kept = std::make_shared<const M>(m);
    return make_margin_task(kept, margin_loss(*kept), facts_of(m, data, options), data, std::move(labels), options);
  } else if constexpr (in_library<M>()) {
    return make_library_task(m, data, std::move(labels), options);
  } else {
    static_assert(
        requires { sizeof(general_task<M>); },
        "to train a general model of your own, include <hogwild/general_model.hpp> too");
    return make_general_task(m, data, std::move(labels), options);
  }
}

}  // namespace hogwild
