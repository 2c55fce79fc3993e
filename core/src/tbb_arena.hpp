// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>

#include <hogwild/core/threads.hpp>
#include <hogwild/core/topology.hpp>

namespace hogwild::detail {

/// Runs f with so many threads of oneTBB; 0: as many as the machine grants (default_workers). Throws resource_error
/// where they are not to be had.
template <class F>
auto with_tbb_threads(std::size_t threads, const F& f) {
  if (threads == 0) threads = default_workers();
  // Without it, TBB itself would complain on standard error where more threads are asked for than there are CPUs.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  require_tbb_threads(threads);
  tbb::task_arena arena(static_cast<int>(threads));
  return arena.execute(f);
}

}  // namespace hogwild::detail
