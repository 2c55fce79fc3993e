// SPDX-License-Identifier: Apache-2.0
#pragma once

// The worker loops, compiled for each model type that a program defines itself. A program includes this, besides
// <hogwild/hogwild.hpp>, to train its own general model, workspace model or margin model with project(). Other margin
// models and the library's models do not need it.

#include <memory>
#include <utility>

#include <hogwild/detail/task/general_task.hpp>
#include <hogwild/detail/task/projected_margin.hpp>
#include <hogwild/train.hpp>

namespace hogwild {

/// The task of training a model without a margin, which train() gives to the engine.
template <free_model M>
std::unique_ptr<training_task> make_general_task(const M& m, const sparse_view& data, label_map labels,
                                                 const loop_options& options) {
  return std::make_unique<general_task<M>>(m, data, std::move(labels), options);
}

}  // namespace hogwild
