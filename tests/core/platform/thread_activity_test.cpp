// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/thread_activity.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/detail/platform/child_process.hpp>

#include "support/eventually.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using test::eventually;

namespace {

constexpr auto long_time = 60s;

TEST(thread_activity, of_one_that_computes_and_of_one_that_waits) {
  std::atomic<bool> end{false};
  std::promise<pid_t> busy, idle;
  const std::jthread computes([&] {
    busy.set_value(::gettid());
    while (!end) {
    }
  });
  const std::jthread waits([&] {
    idle.set_value(::gettid());
    while (!end) end.wait(false);
  });
  const pid_t computing = busy.get_future().get(), waiting = idle.get_future().get();
  const auto first = thread_activity::of(::getpid(), computing);
  ASSERT_TRUE(first);
  // It sleeps until its promise is kept, then computes.
  EXPECT_TRUE(eventually(long_time, [&] { return thread_activity::of(::getpid(), computing)->is_at_work(); }));
  EXPECT_TRUE(
      eventually(long_time, [&] { return thread_activity::of(::getpid(), computing)->cpu_ticks > first->cpu_ticks; }));
  EXPECT_TRUE(eventually(long_time, [&] { return thread_activity::of(::getpid(), waiting)->state == 'S'; }));
  EXPECT_FALSE(thread_activity::of(::getpid(), waiting)->is_stopped());
  end = true;
  end.notify_all();
}

TEST(process_activity, is_that_of_all_threads_but_one) {
  std::atomic<bool> end{false};
  std::promise<pid_t> busy;
  const std::jthread computes([&] {
    busy.set_value(::gettid());
    while (!end) {
    }
  });
  const pid_t computing = busy.get_future().get();
  const auto ours = [](pid_t except) { return process_activity::of(::getpid(), except).value(); };
  EXPECT_TRUE(ours(0).runs);  // this thread, which looks
  EXPECT_TRUE(eventually(long_time, [&] { return ours(::gettid()).runs; }));
  EXPECT_FALSE(ours(::gettid()).waits_for_disk);
  const std::uint64_t before = ours(::gettid()).cpu_ticks;
  EXPECT_TRUE(eventually(long_time, [&] { return ours(::gettid()).cpu_ticks > before + 5; }));
  EXPECT_GE(ours(0).cpu_ticks, ours(computing).cpu_ticks + 5);
  end = true;
}

TEST(process_activity, of_a_process_that_sleeps_and_of_none) {
  child_process child = spawn("/bin/sleep", {"60"});
  EXPECT_TRUE(eventually(long_time, [&] { return !process_activity::of(child.pid(), 0)->runs; }));
  child.kill(SIGKILL);
  ASSERT_TRUE(child.wait_for(20s));
  EXPECT_FALSE(process_activity::of(child.pid(), 0));
}

TEST(thread_activity, of_a_process_that_is_stopped_and_of_none) {
  child_process child = spawn("/bin/sleep", {"60"});
  child.kill(SIGSTOP);
  EXPECT_TRUE(eventually(long_time, [&] { return thread_activity::of(child.pid(), child.pid())->is_stopped(); }));
  EXPECT_FALSE(thread_activity::of(child.pid(), child.pid())->is_at_work());
  child.kill(SIGKILL);
  ASSERT_TRUE(child.wait_for(20s));
  EXPECT_FALSE(thread_activity::of(child.pid(), child.pid()));
}

}  // namespace
