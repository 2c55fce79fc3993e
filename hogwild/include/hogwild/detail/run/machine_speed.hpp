// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <hogwild/detail/engines/engine_run.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// What a cache line costs that two cores write, in nanoseconds; measured in about a millisecond by two threads.
struct line_speed {
  double exchange_ns = 0.0;  ///< a line of a replica's exchange, line after line
  double shared_ns = 0.0;    ///< one read and write of one of 512 lines, drawn at random
  double missed = 0.0;       ///< fraction of the two threads' CPU time that others took all the same (cpu_load)
};
/// An attempt that others disturb is made again (least_disturbed).
line_speed measure_lines();

/// Nonzeros of a sample.
inline constexpr std::size_t quick_sample = 300'000;     ///< a millisecond; caches hold it, so that rows seem cheaper
inline constexpr std::size_t large_sample = 20'000'000;  ///< 120 MB, which come from memory as those of an epoch do

/// Nanoseconds that one worker alone takes for a row of the task's data under `options`: the faster of two passes over
/// the first rows with `sample` nonzeros, by the time that its thread has a CPU. For general models an estimate, one a
/// parameter that a row touches. Where a stop is asked for, it returns early, with a number that says little.
double measure_row(const training_task& work, const loop_options& options, const std::stop_token& stop = {},
                   std::size_t sample = quick_sample);

/// What a run's time is predicted from.
struct machine_speed {
  double row_ns = 0.0;  ///< measure_row()
  line_speed lines{};
};

/// Nanoseconds that workers take for a row of the task's data, whoever they are: the faster of two passes of real steps
/// over the first rows, as many as take some 20 ms. `start` makes the workers of a task by a plan. For code of the
/// library alone: a user's is for the workers to run. Where a stop is asked for, it returns early, with a number that
/// says little.
using start_function = std::function<std::unique_ptr<engine_run>(const training_task& task, const loop_plan& plan)>;
double probe_row(const training_task& work, const loop_options& options, const start_function& start,
                 const std::stop_token& stop = {});

}  // namespace hogwild
