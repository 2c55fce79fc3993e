// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace hogwild {

/// Notes which signals the program's parent has had ignored, for interrupts that are made later. To be called before
/// libraries are initialised, from the executable's .preinit_array: libraries of some MPIs take SIGHUP for themselves
/// when they are loaded (UCX for its debugger), even under nohup. It only asks the system.
void note_ignored_signals();

/// How a program handles signals. Texts are lines for stderr, and have to outlive the interrupt.
struct interrupt_options {
  std::string_view answer{};        ///< to the first signal after begin_asking()
  std::string_view ended{};         ///< printed when a signal ends the program with exit code 130
  bool broken_pipe_may_ask = true;  ///< whether SIGPIPE may ask, as others do, or always ends the program
};

/// Signal handling of a program that takes long. Make it before any other thread is started: it blocks the signals, and
/// threads inherit that; one thread of its own waits for them. There may be one at a time.
///
/// The signals that ask are those of people, service managers and batch systems: SIGINT, SIGTERM, SIGHUP, SIGXCPU,
/// SIGUSR1, SIGUSR2 and SIGALRM. They end the program at once with exit code 130, and SIGPIPE ends it as it does any
/// other program; what must not outlive the process is removed (platform/cleanup.hpp). Between begin_asking() and
/// end_asking() the first of them asks the run to stop. Signals within `one_request` after it belong to the same
/// request: timeout(1) signals the program and then its group, and a service manager sends two kinds. A later one ends
/// the program. SIGXCPU, which the system repeats each second, and more writes into a broken pipe never count as a
/// later one. While the model is being saved a broken pipe is that of the model, and SIGPIPE ends the program as
/// elsewhere. SIGQUIT and SIGABRT always end at once, after the same removal, and leave a core file if the system
/// writes those. A signal that is ignored when the program starts (SIGHUP under nohup, SIGINT in the background of a
/// script) stays ignored.
///
/// If the system would kill this process at its limit of CPU time without a SIGXCPU before (RLIMIT_CPU with equal
/// limits, as `ulimit -t` sets them), the soft limit is lowered, so that there is time to save.
class interrupt {
 public:
  static constexpr std::array asking_signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2, SIGALRM};
  static constexpr std::chrono::seconds one_request{2};

  explicit interrupt(const interrupt_options& options);
  interrupt(const interrupt&) = delete;
  interrupt& operator=(const interrupt&) = delete;
  ~interrupt();

  /// From now on the first signal asks the run to stop instead of ending the program: there is something to save.
  void begin_asking() { asking_ = true; }
  void end_asking() { asking_ = false; }
  /// Replaces both texts of the options: a line each, or nothing. Each is called once at most, by the thread that waits
  /// for signals.
  void answer_with(std::function<std::string()> answer, std::function<std::string()> ended) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer), ended_ = std::move(ended);
  }
  /// Exists while the model is written.
  class saving {
   public:
    explicit saving(interrupt& by) : by_(by) { by_.saving_ = true; }
    saving(const saving&) = delete;
    saving& operator=(const saving&) = delete;
    ~saving() { by_.saving_ = false; }

   private:
    interrupt& by_;
  };
  std::stop_token token() const { return stop_.get_token(); }
  /// Whether the program wrote, since begin_asking(), to a pipe without a reader. Any thread may ask.
  bool pipe_is_broken() const { return broken_pipe_; }

 private:
  static void on_broken_pipe(int signal);
  static void on_abort(int signal);
  void wait(const std::stop_token& end);

  interrupt_options options_;
  std::string text_of(const std::function<std::string()>& own, std::string_view usual);
  std::stop_source stop_;
  std::mutex mutex_{};
  std::function<std::string()> answer_{}, ended_{};  ///< guarded by it
  std::atomic<bool> asking_ = false, saving_ = false, broken_pipe_ = false, fatal_pipe_ = false;
  std::atomic<bool> aborting_ = false, removed_ = false;
  sigset_t waited_for_{};
  struct sigaction before_ {
  }, before_abort_{};  ///< earlier handlers of SIGPIPE and SIGABRT
  std::jthread waiter_;
};

}  // namespace hogwild
