// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace hogwild::bench {

/// Nanoseconds for each 64-byte line when a thread adds its replica's gains to a shared array and takes over the sum,
/// while the threads take turns: so the shared lines come from the CPU of the thread before. With one CPU it measures
/// the cost of the arithmetic. The median of many turns.
double measure_exchange(std::span<const int> cpus, std::size_t lines);

}  // namespace hogwild::bench
