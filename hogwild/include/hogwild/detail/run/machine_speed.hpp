// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// What a cache line costs that two cores write, in nanoseconds; measured in about a millisecond by two threads.
struct line_speed {
  double exchange_ns = 0.0;  ///< a line of a replica's exchange, line after line
  double shared_ns = 0.0;    ///< one read and write of one of 512 lines, drawn at random
};
line_speed measure_lines();

/// Nanoseconds that one worker alone takes for a row of the task's data under `options`: the faster of two passes over
/// a sample of at most 300,000 nonzeros. For general models an estimate, one a parameter that a row touches.
/// Where a stop is asked for, it returns early, with a number that says little.
double measure_row(const training_task& work, const loop_options& options, const std::stop_token& stop = {});

}  // namespace hogwild
