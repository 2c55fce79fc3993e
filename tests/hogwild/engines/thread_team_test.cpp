// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/engines/thread_team.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/error.hpp>

using namespace hogwild;

namespace {

/// A team of a kind and a size.
class threads_of : public testing::TestWithParam<std::tuple<thread_team_kind, std::size_t>> {
 protected:
  std::size_t size() const { return std::get<1>(GetParam()); }
  std::unique_ptr<thread_team> threads = thread_team::make(std::get<0>(GetParam()), size(), true);
};

TEST_P(threads_of, runs_each_body_once_in_every_run) {
  EXPECT_EQ(threads->size(), size());
  for (int run = 0; run < 50; ++run) {
    std::vector<std::atomic<int>> calls(size());
    const std::size_t granted = threads->run([&](std::size_t i) { calls.at(i).fetch_add(1); });
    ASSERT_GE(granted, 1u);
    ASSERT_LE(granted, size());
    for (std::size_t i = 0; i < size(); ++i) ASSERT_EQ(calls[i].load(), i < granted ? 1 : 0) << i;
  }
}

TEST_P(threads_of, throws_what_a_body_throws_after_all_have_ended_and_works_on) {
  for (std::size_t thrower = 0; thrower < size(); ++thrower) {
    std::atomic<std::size_t> ended{0};
    std::size_t granted = size();
    try {
      granted = threads->run([&](std::size_t i) {
        if (i == thrower) throw std::runtime_error("from " + std::to_string(i));
        std::this_thread::yield();
        ended.fetch_add(1);
      });
      EXPECT_LE(granted, thrower) << "an exception was lost";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), "from " + std::to_string(thrower));
      EXPECT_EQ(ended.load(), size() - 1);
    }
  }
  std::atomic<int> calls{0};
  const std::size_t granted = threads->run([&](std::size_t) { calls.fetch_add(1); });
  EXPECT_EQ(static_cast<std::size_t>(calls.load()), granted);
}

TEST_P(threads_of, throws_one_of_many_exceptions) {
  EXPECT_THROW(threads->run([](std::size_t) { throw std::runtime_error("all"); }), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(every, threads_of,
                         testing::Combine(testing::Values(thread_team_kind::openmp, thread_team_kind::tbb,
                                                          thread_team_kind::std),
                                          testing::Values(1u, 2u, 5u)));

TEST(worker_count, is_as_asked_or_what_the_machine_grants_and_bounded) {
  EXPECT_EQ(worker_count(), default_workers(allowed_cpus().size(), cpu_quota()));
  EXPECT_EQ(worker_count(3), 3u);
  EXPECT_EQ(worker_count(2000), 2000u);
  EXPECT_THROW(worker_count(2001), config_error);
  EXPECT_THROW(worker_count(0), config_error);
}

TEST(thread_team, of_one_is_the_caller_itself) {
  for (const thread_team_kind kind : {thread_team_kind::openmp, thread_team_kind::tbb, thread_team_kind::std}) {
    std::thread::id who;
    thread_team::make(kind, 1, true)->run([&](std::size_t) { who = std::this_thread::get_id(); });
    EXPECT_EQ(who, std::this_thread::get_id());
  }
}

}  // namespace
