// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <csignal>
#include <cstdlib>

#include <hogwild/core/error.hpp>
#include <hogwild/core/threads.hpp>

#include "data_files.hpp"

namespace hogwild::cli {
namespace {

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

interrupt::interrupt() {
  const sigset_t set = waited_for();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  waiter_ = start_thread([this](const std::stop_token& end) { wait(end); });
}

interrupt::~interrupt() {
  waiter_.request_stop();
  pthread_kill(waiter_.native_handle(), SIGTERM);  // to the waiter alone, which knows what it is for
}

void interrupt::wait(const std::stop_token& end) {
  const sigset_t set = waited_for();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !end.stop_requested()) {
    if (!asking_ || stop_.stop_requested()) {
      say("ended at once; nothing is saved");
      std::_Exit(static_cast<int>(exit_code::interrupted));
    }
    say("stopping; the model is saved where --save says so (once more to end at once)");
    stop_.request_stop();
  }
}

}  // namespace hogwild::cli
