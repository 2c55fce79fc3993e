// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include <hogwild/detail/models/plain_descriptor.hpp>
#include <hogwild/train.hpp>
#include <hogwild/worker_main.hpp>

// How the command trains a model of a program, which only that program compiles.

namespace hogwild::cli {

struct registered_training {
  std::unique_ptr<const model_descriptor> descriptor;
  std::function<prepared_task(const registered_object&, const sparse_view&, const train_options&, collective*)> prepare;
  task_factory factory;  ///< of worker processes
};

/// Adds a model to those that the command knows. Throws config_error where there is one of its name.
void register_training(registered_training training);

/// The one of this name; null where the program has registered none.
const registered_training* find_training(std::string_view model);

}  // namespace hogwild::cli
