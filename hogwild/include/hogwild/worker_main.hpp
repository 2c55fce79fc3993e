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

/// The place in a run that a worker process takes.
struct worker_ticket {
  std::string segment;                ///< its name
  std::optional<std::size_t> slot{};  ///< none: any spare one (a worker that joins by hand)
};

/// The worker's place on a command line; nothing where this process was not started as a worker.
std::optional<worker_ticket> worker_place(int argc, const char* const* argv);

/// Makes the task that the segment's setup describes, from a model of the right type.
using task_factory = std::function<std::unique_ptr<training_task>(const run_setup&, const sparse_view&, label_map)>;

/// The exit code of a worker's main, `find` as below; nothing in the process that the user started. An exception in a
/// worker is told to its supervisor.
std::optional<int> work_where_placed(int argc, const char* const* argv,
                                     const std::function<task_factory(std::string_view)>& find);

/// Attaches, trains until the supervisor says that the run is over (or is gone), and leaves. `find` gives the factory
/// for a model's name, or nothing. Returns an exit_code; throws segment_error, cache_error, worker_error where the run
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

/// The factory for the one of `Models` that has this name; empty where there is none.
template <class... Models>
task_factory factory_of(std::string_view name) {
  task_factory found;
  // Where a sentence has said what is wrong with a model, nothing else is compiled that would fail for the same reason.
  if constexpr ((conforms_for_processes<Models>() && ...))
    ((name == model_name<Models>() ? void(found = factory_for<trained_as_t<Models>>()) : void()), ...);
  return found;
}

/// Trains for the segment as one of `Models`.
template <class... Models>
int work_as(const worker_ticket& place) {
  return work_for_segment(place, [](std::string_view name) { return factory_of<Models...>(name); });
}

/// First line of the main function of every program whose engine may start worker processes:
///
///   if (auto rc = hogwild::worker_main<my_model>(argc, argv)) return *rc;
///
/// It serves every engine whose header the program includes. Does nothing in the process that the user started; in a
/// worker process it trains and gives what main shall return.
template <class... Models>
std::optional<int> worker_main(int argc, const char* const* argv) {
  return work_where_placed(argc, argv, [](std::string_view name) { return factory_of<Models...>(name); });
}

}  // namespace hogwild
