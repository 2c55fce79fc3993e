// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace hogwild::device {

/// The host form of a launch: train(work, changed) trains a part of it on the calling thread, and sets how many rows
/// changed something, which is added to the work's `updates`. A CPU has a single scope, so the work asks for no other.
/// Threads may run several parts at the same time.
template <class Work, class Train>
void train_on_host(const Work& work, const Train& train) {
  Work in_scope = work;
  in_scope.system_scope = false;
  std::uint64_t changed = 0;
  train(in_scope, changed);
  if (work.updates != nullptr) std::atomic_ref<std::uint64_t>(*work.updates) += changed;
}

}  // namespace hogwild::device
