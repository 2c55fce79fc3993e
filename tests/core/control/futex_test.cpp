// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/control/futex.hpp>

#include <csignal>
#include <new>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/thread_activity.hpp>

#include "support/comes_to.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using word = std::atomic<std::uint32_t>;

namespace {

const segment_identity identity{.layout_hash = 1, .build_id = 2, .model_name = "futex_test"};

word& word_in(segment& shared) {
  return *std::launder(reinterpret_cast<word*>(shared.data() + segment_header_bytes));
}

/// The other process: waits for 1, answers 2.
int answer(const std::string& name) {
  segment shared = segment::attach(name, identity);
  word& w = word_in(shared);
  while (w.load(std::memory_order_acquire) == 0) {
    if (futex_wait(w, 0, 10s) == futex_result::timed_out) return 1;
  }
  w.store(2, std::memory_order_release);
  futex_wake_all(w);
  return 0;
}

TEST(futex, says_when_the_word_is_another) {
  const word w{5};
  EXPECT_EQ(futex_wait(w, 4, 10s), futex_result::changed);
}

TEST(futex, gives_up_after_the_timeout) {
  const word w{5};
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(futex_wait(w, 5, 20ms), futex_result::timed_out);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

TEST(futex, does_not_sleep_without_time) {
  const word w{5};
  EXPECT_EQ(futex_wait(w, 5, 0ns), futex_result::timed_out);
  EXPECT_EQ(futex_wait(w, 5, -1s), futex_result::timed_out);
}

TEST(futex, waits_for_ever_when_asked_and_wakes) {
  word w{0};
  std::jthread sleeper([&] {
    while (w.load(std::memory_order_acquire) == 0) futex_wait(w, 0, std::chrono::nanoseconds::max());
  });
  w.store(1, std::memory_order_release);
  futex_wake_all(w);
  sleeper.join();
  EXPECT_EQ(futex_wake_all(w), 0);  // nobody sleeps any more
}

TEST(futex, a_signal_does_not_end_the_sleep) {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const word w{0};
  // A busy machine may let the time pass before it has slept at five signals: then it sleeps again.
  int sent = 0;
  do {
    sent = 0;
    std::atomic<pid_t> thread = 0;
    std::atomic<bool> finished = false;
    std::jthread sleeper([&] {
      thread = ::gettid();
      EXPECT_EQ(futex_wait(w, 0, 100ms), futex_result::timed_out);
      finished = true;
    });
    while (!finished && sent < 5) {
      const auto now = thread_activity::of(::getpid(), thread);
      if (now && now->state == 'S') ::pthread_kill(sleeper.native_handle(), SIGUSR1), ++sent;
    }
  } while (sent < 5 && !HasFailure());
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(futex, wakes_another_process_and_is_woken_by_it) {
  segment shared = segment::create(unique_segment_name(), segment_header_bytes + 64, identity);
  word& w = *new (shared.data() + segment_header_bytes) word(0);
  child_process child = spawn(this_program(), {"--answer", shared.name()});
  EXPECT_TRUE(test::comes_to('S', child.pid()));
  w.store(1, std::memory_order_release);
  futex_wake_all(w);
  const auto start = std::chrono::steady_clock::now();
  while (w.load(std::memory_order_acquire) != 2 && std::chrono::steady_clock::now() - start < 20s) {
    futex_wait(w, 1, 10s);
  }
  EXPECT_EQ(w.load(std::memory_order_acquire), 2u);
  const auto status = child.wait_for(20s);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success()) << status->describe();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--answer") return answer(argv[2]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
