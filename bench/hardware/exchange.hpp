// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace hogwild::bench {

/// Nanoseconds for each 64-byte line when a thread adds its replica's gains to a shared array and takes over the sum,
/// while the threads take turns: so the shared lines come from the CPU of the thread before. With one CPU it measures
/// the cost of the arithmetic. The median of many turns.
double measure_exchange(std::span<const int> cpus, std::size_t lines);

/// Nanoseconds until one CPU sees a store of the other, half a round trip of a cache line between them; the best of
/// some tries of `turns` round trips each.
double measure_ping_pong(int one, int other, std::size_t turns);

}  // namespace hogwild::bench
