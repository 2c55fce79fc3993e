// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace hogwild::bench {

/// Runs body(i) on a thread of its own for each of the CPUs, bound to that CPU if the system allows it, and returns
/// when all are done.
void run_pinned(std::span<const int> cpus, const std::function<void(std::size_t)>& body);

/// 1, 2, 4, ... and the number itself.
std::vector<std::size_t> doubling(std::size_t most);

}  // namespace hogwild::bench
