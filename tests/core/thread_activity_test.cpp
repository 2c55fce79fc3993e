// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/thread_activity.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include <hogwild/core/child_process.hpp>

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

template <class Condition>
bool comes_true(const Condition& holds) {
  for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < 60s;) {
    if (holds()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

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
  EXPECT_TRUE(first->is_at_work());
  EXPECT_TRUE(comes_true([&] { return thread_activity::of(::getpid(), computing)->cpu_ticks > first->cpu_ticks; }));
  EXPECT_TRUE(comes_true([&] { return thread_activity::of(::getpid(), waiting)->state == 'S'; }));
  EXPECT_FALSE(thread_activity::of(::getpid(), waiting)->is_stopped());
  end = true;
  end.notify_all();
}

TEST(thread_activity, of_a_process_that_is_stopped_and_of_none) {
  child_process child = spawn("/bin/sleep", {"60"});
  child.kill(SIGSTOP);
  EXPECT_TRUE(comes_true([&] { return thread_activity::of(child.pid(), child.pid())->is_stopped(); }));
  EXPECT_FALSE(thread_activity::of(child.pid(), child.pid())->is_at_work());
  child.kill(SIGKILL);
  ASSERT_TRUE(child.wait_for(20s));
  EXPECT_FALSE(thread_activity::of(child.pid(), child.pid()));
}

}  // namespace
