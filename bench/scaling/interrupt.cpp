// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include <hogwild/core/cleanup.hpp>
#include <hogwild/core/error.hpp>
#include <hogwild/core/threads.hpp>

namespace hogwild::bench {

interrupt::interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  waiter_ = start_thread([this, signals](const std::stop_token& end) {
    const std::timespec a_while{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!end.stop_requested()) {
      if (sigtimedwait(&signals, nullptr, &a_while) < 0) continue;
      if (stop_.stop_requested()) {
        run_cleanup_handlers();
        std::_Exit(static_cast<int>(exit_code::interrupted));
      }
      stop_.request_stop();
    }
  });
}

void leave_when_asked(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw error(exit_code::interrupted, "interrupted; what was measured so far is in the record");
}

}  // namespace hogwild::bench
