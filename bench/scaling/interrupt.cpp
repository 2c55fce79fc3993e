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
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    const bool ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&signals, signal);  // under nohup a terminal that is closed ends nothing
  }
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
