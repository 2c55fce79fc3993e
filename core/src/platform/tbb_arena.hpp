// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <optional>

#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Runs f with `asked` threads of oneTBB, by default as many as the machine grants (default_workers). Throws
/// config_error if 0 are asked for, and resource_error if the system does not grant them.
template <class F>
auto with_tbb_threads(std::optional<std::size_t> asked, const F& f) {
  if (asked == 0u) throw config_error("text is read by at least one thread; leave the number out for the usual one");
  const std::size_t threads = asked ? *asked : default_workers();
  // Without it, TBB prints to standard error if there are more threads than CPUs.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  require_tbb_threads(threads);
  tbb::task_arena arena(static_cast<int>(threads));
  return arena.execute(f);
}

}  // namespace hogwild::detail
