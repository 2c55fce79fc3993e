// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <hogwild/detail/run/run_setup.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/train.hpp>

namespace hogwild {

/// A worker process's place in a run.
struct worker_ticket {
  std::string segment;                ///< the segment's name
  std::optional<std::size_t> slot{};  ///< empty: any free slot (for a guest)
};

/// The worker's place, read from the command line; empty if this process was not started as a worker.
std::optional<worker_ticket> worker_place(int argc, const char* const* argv);

/// Makes the task that a segment's setup describes, for one model type.
using task_factory = std::function<std::unique_ptr<training_task>(const run_setup&, const sparse_view&, label_map)>;

/// In a worker process: trains, and returns the exit code for main. An exception is reported to the supervisor. In the
/// process that the user started it returns nothing. `find` is as below.
std::optional<int> work_where_placed(int argc, const char* const* argv,
                                     const std::function<task_factory(std::string_view)>& find);

/// Attaches to the segment and trains until the supervisor ends the run, or is gone. `find` returns the factory for a
/// model's name, or an empty function. Returns an exit_code. Throws segment_error, cache_error, worker_error if the run
/// goes on without this worker, and what the model throws.
int work_for_segment(const worker_ticket& place, const std::function<task_factory(std::string_view)>& find);

/// The factory for one model type.
template <model M>
task_factory factory_for() {
  return [](const run_setup& setup, const sparse_view& rows, label_map labels) {
    if (setup.model.size() != sizeof(M))
      throw segment_error("the segment's model has another size than this program's");
    M m;
    std::memcpy(static_cast<void*>(&m), setup.model.data(), sizeof m);
    return make_task(m, rows, std::move(labels), setup.options);
  };
}

/// The factory for the one of `Models` that has this name; empty if there is none.
template <class... Models>
task_factory factory_of(std::string_view name) {
  task_factory found;
  // If a static_assert has failed for a model, the rest is not compiled: its errors would hide the assertion's message.
  if constexpr ((conforms_for_processes<Models>() && ...))
    ((name == model_name<Models>() ? void(found = factory_for<trained_as_t<Models>>()) : void()), ...);
  return found;
}

/// Trains as a worker of a run whose model is one of `Models`.
template <class... Models>
int work_as(const worker_ticket& place) {
  return work_for_segment(place, [](std::string_view name) { return factory_of<Models...>(name); });
}

/// First line of the main function of every program whose engine may start worker processes:
///
///   if (auto rc = hogwild::worker_main<my_model>(argc, argv)) return *rc;
///
/// It serves every engine whose header the program includes. In the process that the user started it does nothing and
/// returns nothing; in a worker process it trains and returns the exit code for main.
template <class... Models>
std::optional<int> worker_main(int argc, const char* const* argv) {
  return work_where_placed(argc, argv, [](std::string_view name) { return factory_of<Models...>(name); });
}

}  // namespace hogwild
