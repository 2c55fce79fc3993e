// SPDX-License-Identifier: Apache-2.0
#include <hogwild/stall_watch.hpp>

#include <atomic>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/core/child_process.hpp>
#include <hogwild/core/thread_activity.hpp>

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

/// What becomes of a worker in the time of the test, which passes as it is told.
struct stalls : testing::Test {
  void is_thread(pid_t process, pid_t thread) {
    slot.pid = process;
    slot.thread = thread;
  }
  /// Looks every 20 ms for so long; whether it was stalled at one of them.
  bool stalled_within(std::chrono::milliseconds time) {
    for (const auto end = now + time; now < end;) {
      now += 20ms;
      watch.look(slot, true, now);
      if (watch.stalled(slot, now)) return true;
    }
    return false;
  }

  worker_slot slot{};
  stall_watch watch;
  stall_watch::clock::time_point now = stall_watch::clock::now();
};

/// A thread that computes, or sleeps, until the end.
class companion {
 public:
  explicit companion(bool computes)
      : thread_([this, computes] {
          number_ = ::gettid();
          number_.notify_all();
          while (computes && !end_) {
          }
          end_.wait(false);
        }) {
    number_.wait(0);
    // Asleep before anybody looks.
    while (!computes && thread_activity::of(::getpid(), number_)->state != 'S') std::this_thread::yield();
  }
  ~companion() {
    end_ = true;
    end_.notify_all();
  }
  pid_t number() const { return number_; }

 private:
  std::atomic<pid_t> number_{0};
  std::atomic<bool> end_{false};
  std::jthread thread_;
};

TEST_F(stalls, who_sleeps_and_makes_no_progress_is_stalled_after_a_second) {
  const companion sleeper(false);
  is_thread(::getpid(), sleeper.number());
  EXPECT_FALSE(stalled_within(980ms));
  EXPECT_TRUE(stalled_within(100ms));
}

TEST_F(stalls, who_makes_progress_or_is_not_waited_for_is_not) {
  const companion sleeper(false);
  is_thread(::getpid(), sleeper.number());
  for (published<std::uint64_t>* const sign : {&slot.beats, &slot.rows, &slot.waits, &slot.blocks, &slot.ring_bytes}) {
    EXPECT_FALSE(stalled_within(900ms));
    sign->raise(1);
  }
  EXPECT_FALSE(stalled_within(900ms));
  watch.look(slot, false, now);
  EXPECT_FALSE(stalled_within(900ms));
  EXPECT_TRUE(stalled_within(200ms));
}

TEST_F(stalls, who_computes_is_not_however_long_it_takes) {
  const companion busy(true);
  is_thread(::getpid(), busy.number());
  EXPECT_FALSE(stalled_within(60'000ms));
}

TEST_F(stalls, whom_a_signal_stopped_is) {
  child_process child = spawn("/bin/sh", {"-c", "while :; do :; done"});
  is_thread(child.pid(), child.pid());
  while (thread_activity::of(child.pid(), child.pid())->cpu_ticks == 0) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(stalled_within(5000ms));
  child.kill(SIGSTOP);
  while (!thread_activity::of(child.pid(), child.pid())->is_stopped()) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(stalled_within(2100ms));
}

TEST_F(stalls, who_cannot_be_looked_at_is_given_ten_times_as_long) {
  is_thread(::getpid(), 1 << 30);
  EXPECT_FALSE(stalled_within(9000ms));
  EXPECT_TRUE(stalled_within(2000ms));
}

}  // namespace
