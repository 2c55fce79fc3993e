// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <hogwild/detail/models/plain_descriptor.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>

// How the command trains a program's model, which is compiled only in that program.

namespace hogwild::cli {

struct registered_training {
  std::unique_ptr<const model_descriptor> descriptor;
  std::function<prepared_task(const registered_object&, const sparse_view&, const train_options&, collective*)> prepare;
  task_factory factory;  ///< for worker processes
};

/// Adds a model to those that the command knows. Throws config_error if its name is taken.
void register_training(registered_training training);

/// The model of this name; null if the program has not registered it.
const registered_training* find_training(std::string_view model);

}  // namespace hogwild::cli
