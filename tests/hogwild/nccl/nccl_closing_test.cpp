// SPDX-License-Identifier: Apache-2.0
// Members of a process wait for each other when they close their communicators of NCCL, with a thread for each or
// without.
#include "member.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/threads.hpp"

using namespace hogwild;
using namespace std::chrono_literals;

namespace {

/// While it lives no thread can start: its stack would be longer than the address space.
class no_room_for_threads {
 public:
  no_room_for_threads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 48);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~no_room_for_threads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  no_room_for_threads(const no_room_for_threads&) = delete;
  no_room_for_threads& operator=(const no_room_for_threads&) = delete;

 private:
  pthread_attr_t before_{};
};

struct two_ends {
  std::atomic<int> begun{0}, met{0};
  std::array<std::thread::id, 2> on{};  ///< the threads
};

/// Its end waits for that of the other one.
struct member_of_two {
  member_of_two(two_ends& both, std::size_t number) : ends(both), me(number) {}
  ~member_of_two() {
    ends.on[me] = std::this_thread::get_id();
    ++ends.begun;
    ends.met += test::eventually(60s, [&] { return ends.begun == 2; }) ? 1 : 0;
  }
  member_of_two(const member_of_two&) = delete;
  member_of_two& operator=(const member_of_two&) = delete;

  two_ends& ends;
  std::size_t me;
};

struct nccl_closing : testing::TestWithParam<bool> {};

TEST_P(nccl_closing, has_all_members_end_at_the_same_time) {
  const bool threads = GetParam();
  two_ends ends;
  std::array<bool, 2> here{};
  {
    nccl::closing together;
    std::latch running(2);
    std::unique_ptr<no_room_for_threads> no_more;
    std::latch ready(2);
    test::run_together(2, [&](std::size_t i) {
      running.arrive_and_wait();
      if (i == 0 && !threads) no_more = std::make_unique<no_room_for_threads>();
      ready.arrive_and_wait();
      together.end(std::make_unique<member_of_two>(ends, i));
      here[i] = ends.begun == 2 && ends.on[i] == std::this_thread::get_id();
    });
  }
  EXPECT_EQ(ends.met, 2);
  EXPECT_EQ(here, (std::array<bool, 2>{!threads, !threads}));
}

INSTANTIATE_TEST_SUITE_P(with, nccl_closing, testing::Bool(),
                         [](const auto& test) { return test.param ? "threads" : "no_threads"; });

}  // namespace
