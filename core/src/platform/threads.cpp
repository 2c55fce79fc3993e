// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/threads.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hogwild {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Threads that wait for the end of this object.
class waiting_threads {
 public:
  explicit waiting_threads(std::size_t most) : numbers_(most) { threads_.reserve(most); }
  waiting_threads(const waiting_threads&) = delete;
  waiting_threads& operator=(const waiting_threads&) = delete;
  ~waiting_threads() {
    over_ = true;
    over_.notify_all();
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i].join();
      wait_until_gone(numbers_[i]);
    }
  }

  std::size_t size() const { return threads_.size(); }
  /// Starts one more; throws what std::thread throws.
  void start() {
    threads_.emplace_back([this, &number = numbers_[threads_.size()]] {
      number = ::gettid();
      over_.wait(false);
    });
  }

 private:
  /// A joined thread may still count for a moment, and the next one would be refused because of it.
  static void wait_until_gone(pid_t thread) {
    const auto deadline = steady_clock::now() + 100ms;
    while (::syscall(SYS_tgkill, ::getpid(), thread, 0) == 0 && steady_clock::now() < deadline)
      std::this_thread::yield();
  }

  std::vector<pid_t> numbers_;
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

/// Makes oneTBB start its threads now: later, when there is work, others may have taken them.
void meet_in_tbb(std::size_t threads) {
  const auto deadline = steady_clock::now() + 1s;  // oneTBB does not guarantee threads
  std::atomic<std::size_t> here{0};
  const auto meet = [&] {
    here.fetch_add(1);
    while (here.load() < threads && steady_clock::now() < deadline) std::this_thread::sleep_for(20us);
  };
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    tbb::task_group others;
    for (std::size_t i = 1; i < threads; ++i) others.run(meet);
    meet();
    others.wait();
  });
}

}  // namespace

void require_threads(std::size_t n) {
  waiting_threads started(n);
  try {
    while (started.size() < n) started.start();
  } catch (const std::system_error&) {
    throw resource_error((n == 1 ? "cannot start another thread: "
                                 : "cannot start " + std::to_string(n) + " more threads, but only " +
                                       std::to_string(started.size()) + ": ") +
                         thread_limit_text());
  }
}

void require_tbb_threads(std::size_t most) {
  static std::mutex mutex;
  static std::size_t kept = 1;  // including the calling thread
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const std::size_t threads = std::min(most, allowed);
  const std::lock_guard lock(mutex);
  if (threads <= kept) return;
  require_threads(threads - kept);
  meet_in_tbb(threads);
  kept = threads;
}

}  // namespace hogwild
