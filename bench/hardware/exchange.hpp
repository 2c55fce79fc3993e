// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace hogwild::bench {

/// Nanoseconds that a thread takes for each 64-byte line when it adds what its replica gained to a shared array and
/// takes over the sum, while the threads take turns: so the shared lines come from the CPU of the thread before. One
/// CPU tells what the arithmetic costs. The median of many turns.
double measure_exchange(std::span<const int> cpus, std::size_t lines);

}  // namespace hogwild::bench
