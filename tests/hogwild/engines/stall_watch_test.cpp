// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/engines/stall_watch.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/thread_activity.hpp>

#include "support/eventually.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

/// A worker that may stall, on a clock that the test advances.
struct stalls : testing::Test {
  void is_thread(pid_t process, pid_t thread) {
    slot.pid = process;
    slot.thread = thread;
  }
  stalls() { slot.watch = ::gettid(); }  // the thread that runs the test does not train

  /// Looks every 20 ms for this long. Returns whether the worker was stalled at one of them.
  bool stalled_within(std::chrono::milliseconds time) {
    for (const auto end = now + time; now < end;) {
      now += 20ms;
      watch.look(slot, true, now);
      if (watch.stalled(slot, now)) return true;
      told_to_wait += watch.waits_long(now);
    }
    return false;
  }

  worker_slot slot{};
  stall_watch watch;
  int told_to_wait = 0;
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
    // It must be asleep before anybody looks.
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

TEST_F(stalls, who_waits_for_a_thread_of_its_process_that_computes_is_not) {
  const companion sleeper(false), helper(true);
  is_thread(::getpid(), sleeper.number());
  EXPECT_FALSE(stalled_within(10'000ms));
  EXPECT_EQ(told_to_wait, 0);
}

TEST_F(stalls, who_watches_the_supervisor_makes_no_progress_thereby) {
  // The shell is the child's only thread, and computes: without it nothing in the child does anything.
  child_process child = spawn("/bin/sh", {"-c", "while :; do :; done"});
  is_thread(child.pid(), child.pid());
  slot.watch = child.pid();
  EXPECT_TRUE(stalled_within(1100ms));
}

/// A thread that waits as for a disk until the end: for a child that it made like vfork().
class disk_waiter {
 public:
  disk_waiter()
      : thread_([this] {
          number_ = ::gettid();
          number_.notify_all();
          const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0));
          if (child == 0) {
            char end = 0;
            ::close(ends_[1]);
            while (::read(ends_[0], &end, 1) > 0) {
            }
            ::_exit(0);
          }
          ::waitpid(child, nullptr, 0);
        }) {
    number_.wait(0);
    while (thread_activity::of(::getpid(), number_)->state != 'D') std::this_thread::yield();
  }
  ~disk_waiter() {
    ::close(ends_[1]);
    thread_.join();
    ::close(ends_[0]);
  }
  pid_t number() const { return number_; }

 private:
  static std::array<int, 2> pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    return ends;
  }

  std::array<int, 2> ends_ = pipe();
  std::atomic<pid_t> number_{0};
  std::jthread thread_;
};

TEST_F(stalls, who_waits_for_a_disk_is_not_and_that_is_told_once) {
  {
    const disk_waiter waiter;
    is_thread(::getpid(), waiter.number());
    EXPECT_FALSE(stalled_within(4900ms));
    EXPECT_EQ(told_to_wait, 0);
    EXPECT_FALSE(stalled_within(20'000ms));
    EXPECT_EQ(told_to_wait, 1);
    slot.beats.raise(1);
    EXPECT_FALSE(stalled_within(6500ms));
    EXPECT_EQ(told_to_wait, 2);
  }
  const companion sleeper(false);
  is_thread(::getpid(), sleeper.number());
  EXPECT_TRUE(stalled_within(2100ms));
}

TEST_F(stalls, whom_a_signal_stopped_is) {
  child_process child = spawn("/bin/sh", {"-c", "while :; do :; done"});
  is_thread(child.pid(), child.pid());
  const auto activity = [&] { return *thread_activity::of(child.pid(), child.pid()); };
  ASSERT_TRUE(test::eventually(20s, [&] { return activity().cpu_ticks > 0; }));
  EXPECT_FALSE(stalled_within(5000ms));
  child.kill(SIGSTOP);
  ASSERT_TRUE(test::eventually(20s, [&] { return activity().is_stopped(); }));
  EXPECT_TRUE(stalled_within(2100ms));
}

TEST_F(stalls, who_cannot_be_looked_at_is_given_ten_times_as_long) {
  is_thread(::getpid(), 1 << 30);
  EXPECT_FALSE(stalled_within(9000ms));
  EXPECT_TRUE(stalled_within(2000ms));
}

}  // namespace
