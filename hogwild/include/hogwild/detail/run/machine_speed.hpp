// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// The cost in nanoseconds of a cache line that two cores write; two threads measure it in about a millisecond.
struct line_speed {
  double exchange_ns = 0.0;  ///< to exchange a line of a replica, in sequence
  double shared_ns = 0.0;    ///< to read and write one of 512 lines, drawn at random
  double missed = 0.0;       ///< fraction of the two threads' CPU time that other processes took (cpu_load)
};
/// Repeats a measurement that other processes disturb (least_disturbed).
line_speed measure_lines();

/// Nonzeros of a sample.
inline constexpr std::size_t quick_sample = 300'000;     ///< a millisecond; it fits into caches, so rows seem cheaper
inline constexpr std::size_t large_sample = 20'000'000;  ///< 120 MB, which come from memory as in an epoch

/// Nanoseconds that one worker alone takes for a row of the task's data under `options`: the faster of two passes over
/// the first rows with `sample` nonzeros, counting only time in which its thread has a CPU. For general models an
/// estimate of one nanosecond for each parameter that a row touches. After a request to stop it returns early, with an
/// unreliable number.
double measure_row(const training_task& work, const loop_options& options, const std::stop_token& stop = {},
                   std::size_t sample = quick_sample);

/// The facts from which a run's time is predicted.
struct machine_speed {
  double row_ns = 0.0;  ///< measure_row()
  line_speed lines{};
};

/// Nanoseconds that workers of any kind take for a row of the task's data: the faster of two passes of real steps over
/// enough of the first rows to take some 20 ms. `start` makes the workers of a task by a plan. Only for models of the
/// library: a user's code runs in workers only. After a request to stop it returns early, with an unreliable number.
using start_function = std::function<std::unique_ptr<engine_run>(const training_task& task, const loop_plan& plan)>;
double probe_row(const training_task& work, const loop_options& options, const start_function& start,
                 const std::stop_token& stop = {});

}  // namespace hogwild
