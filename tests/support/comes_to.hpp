// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <sys/types.h>

#include <hogwild/detail/platform/thread_activity.hpp>

#include "support/eventually.hpp"

namespace hogwild::test {

/// Waits until a thread, or else the first one of a process, is in a state of /proc: 'S' sleeps, 'T' is stopped. False
/// if it has ended.
inline bool comes_to(char state, pid_t process, pid_t thread = 0) {
  bool has_ended = false;
  return eventually(std::chrono::minutes(1),
                    [&] {
                      const auto now = thread_activity::of(process, thread > 0 ? thread : process);
                      has_ended = !now || now->state == 'Z';
                      return has_ended || now->state == state;
                    }) &&
         !has_ended;
}

}  // namespace hogwild::test
