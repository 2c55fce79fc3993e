// SPDX-License-Identifier: Apache-2.0
#include <interrupt/interrupt.hpp>

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include <hogwild/detail/platform/cleanup.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

std::atomic<interrupt*> current = nullptr;  ///< for the handlers

bool ignored_at_start[NSIG];  ///< by number; none if note_ignored_signals() was not called

bool is_ignored(int signal) {
  struct sigaction action {};
  return ignored_at_start[signal] || (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN);
}

/// Prints a line on stderr only if it is accepted at once: the thread that waits for signals must not wait for a reader
/// that has stopped, or for a thread that waits for one.
void say_without_waiting(std::string_view line) {
  pollfd place{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&place, 1, 0) != 1 || (place.revents & POLLOUT) == 0) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

/// Called by a thread that has blocked it so far.
[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
  std::_Exit(static_cast<int>(exit_code::interrupted));
}

/// With equal limits of CPU time the system sends only SIGKILL.
void keep_time_to_save() {
  constexpr rlim_t most_seconds = 10, part = 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY || limit.rlim_cur < limit.rlim_max)
    return;
  const rlim_t kept = std::clamp<rlim_t>(limit.rlim_max / part, 1, most_seconds);
  if (limit.rlim_max <= kept) return;
  limit.rlim_cur = limit.rlim_max - kept;
  ::setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

void note_ignored_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ignored_at_start[signal] = is_ignored(signal);
}

interrupt::interrupt(const interrupt_options& options) : options_(options) {
  keep_time_to_save();
  sigemptyset(&waited_for_);
  const auto wait_unless_ignored = [this](int signal) {
    if (is_ignored(signal))
      std::signal(signal, SIG_IGN);  // again: a library may have taken it since the start
    else
      sigaddset(&waited_for_, signal);
  };
  std::ranges::for_each(asking_signals, wait_unless_ignored);
  wait_unless_ignored(SIGQUIT);
  pthread_sigmask(SIG_BLOCK, &waited_for_, nullptr);
  sigaddset(&waited_for_, SIGPIPE);  // for the waiter alone: others pass it on, and it ends the waiter
  sigset_t of_others;
  pthread_sigmask(SIG_BLOCK, &waited_for_, &of_others);
  waiter_ = start_thread([this](const std::stop_token& end) { wait(end); });
  pthread_sigmask(SIG_SETMASK, &of_others, nullptr);
  current = this;
  struct sigaction passed {};
  passed.sa_handler = on_broken_pipe;
  passed.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, is_ignored(SIGPIPE) ? nullptr : &passed, &before_);
  struct sigaction aborts {};
  aborts.sa_handler = on_abort;
  aborts.sa_flags = SA_NODEFER;  // so that the handler can end the program
  ::sigaction(SIGABRT, is_ignored(SIGABRT) ? nullptr : &aborts, &before_abort_);
}

interrupt::~interrupt() {
  ::sigaction(SIGABRT, &before_abort_, nullptr);
  ::sigaction(SIGPIPE, &before_, nullptr);
  waiter_.request_stop();
  pthread_kill(waiter_.native_handle(), SIGPIPE);
}

/// Runs in the thread that wrote, where nobody can wait for the signal.
void interrupt::on_broken_pipe(int signal) {
  const int error = errno;
  interrupt& me = *current;
  const bool fatal = !me.options_.broken_pipe_may_ask || !me.asking_ || me.saving_;
  (fatal ? me.fatal_pipe_ : me.broken_pipe_) = true;
  pthread_kill(me.waiter_.native_handle(), signal);
  while (fatal) ::pause();  // the waiter ends the program
  errno = error;
}

/// Runs in a thread that may hold any lock, such as the allocator's: another thread removes what it can, for at most a
/// second.
void interrupt::on_abort(int) {
  constexpr int moments = 100;
  constexpr timespec moment{.tv_sec = 0, .tv_nsec = 10'000'000};
  interrupt& me = *current;
  const bool first = !me.aborting_.exchange(true);
  if (first && pthread_equal(pthread_self(), me.waiter_.native_handle()) == 0) {
    pthread_kill(me.waiter_.native_handle(), SIGPIPE);
    for (int i = 0; i < moments && !me.removed_; ++i) ::nanosleep(&moment, nullptr);
  }
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

std::string interrupt::text_of(const std::function<std::string()>& own, std::string_view usual) {
  const std::lock_guard lock(mutex_);
  return own ? own() : std::string(usual);
}

void interrupt::wait(const std::stop_token& end) {
  using clock = std::chrono::steady_clock;
  clock::time_point asked_at{};
  int signal = 0;
  while (sigwait(&waited_for_, &signal) == 0 && !end.stop_requested()) {
    if (aborting_) {
      run_cleanup_handlers();
      removed_ = true;
      for (;;) ::pause();
    }
    const bool asked = stop_.stop_requested();
    const bool fatal = signal == SIGQUIT || fatal_pipe_;
    if (signal == SIGPIPE && asked && !fatal) continue;  // each line that nobody reads raises it again
    if (asked && !fatal && (signal == SIGXCPU || clock::now() - asked_at < one_request)) continue;
    if (asking_ && !asked && !fatal) {
      asked_at = clock::now();
      stop_.request_stop();
      say_without_waiting(text_of(answer_, options_.answer));
      continue;
    }
    run_cleanup_handlers();
    if (fatal) die_of(fatal_pipe_ ? SIGPIPE : signal);
    say_without_waiting(text_of(ended_, options_.ended));
    std::_Exit(static_cast<int>(exit_code::interrupted));
  }
}

}  // namespace hogwild
