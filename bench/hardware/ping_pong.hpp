// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace hogwild::bench {

/// Nanoseconds until one CPU sees a store of the other, half a round trip of a cache line between them; the best of
/// some tries of `turns` round trips each.
double measure_ping_pong(int one, int other, std::size_t turns);

}  // namespace hogwild::bench
