// SPDX-License-Identifier: Apache-2.0
// The error for the other threads of a group when one of them does not come.
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "support/eventually.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

/// Runs body(member) on all threads. Returns the message of each one's worker_error, or "" if none was thrown.
template <class Body>
std::vector<std::string> sentences(std::size_t size, const collective_options& options, const Body& body) {
  thread_group group(size, options);
  std::vector<std::string> said(size);
  test::run_together(size, [&](std::size_t rank) {
    const auto member = group.join(rank);
    try {
      body(*member);
    } catch (const worker_error& e) {
      EXPECT_EQ(e.code(), exit_code::internal);
      said[rank] = e.what();
      EXPECT_THROW(member->barrier(), worker_error);  // and ever after
    }
  });
  return said;
}

TEST(lost_thread, one_that_never_comes_is_named_by_all_others_in_time) {
  const auto begin = std::chrono::steady_clock::now();
  thread_group group(4, {.timeout = 200ms});
  std::vector<std::string> said(4);
  EXPECT_TRUE(test::ends_within(20s, [&] {
    test::run_together(4, [&](std::size_t rank) {
      if (rank == 2) return;
      const auto member = group.join(rank);
      std::vector<float> x(100);
      said[rank] = test::refusal_of<worker_error>([&] { member->all_reduce(x); });
    });
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
  for (const std::size_t rank : {0u, 1u, 3u}) {
    EXPECT_THAT(said[rank], AllOf(HasSubstr("rank 2 of 4"), HasSubstr("all_reduce"), HasSubstr("within 0.2 s"),
                                  HasSubstr("raise the timeout")));
  }
}

TEST(lost_thread, one_that_leaves_is_not_waited_for) {
  std::vector<std::string> said;
  EXPECT_TRUE(test::ends_within(1min, [&] {
    said = sentences(3, {.timeout = 10min}, [](collective& c) {
      std::vector<double> x(5);
      c.all_reduce(x);
      if (c.rank() != 1) c.broadcast(x, 0);
    });
  }));
  EXPECT_EQ(said[1], "");
  for (const std::size_t rank : {0u, 2u}) {
    EXPECT_THAT(said[rank], AllOf(HasSubstr("rank 1 of 3 has left"), HasSubstr("broadcast"), HasSubstr("checkpoint")));
  }
}

TEST(lost_thread, one_that_fails_tells_the_others_why) {
  const auto said = sentences(3, {.timeout = 10min}, [](collective& c) {
    if (c.rank() == 0) return c.fail("row 17 of a.svm is torn");
    c.barrier();
  });
  for (const std::size_t rank : {1u, 2u}) EXPECT_EQ(said[rank], "rank 0 of 3 gave up: row 17 of a.svm is torn");
}

TEST(lost_thread, a_long_reason_is_cut) {
  const auto said = sentences(2, {.timeout = 10min}, [](collective& c) {
    if (c.rank() == 0) return c.fail(std::string(5000, 'x'));
    c.barrier();
  });
  EXPECT_EQ(said[1], "rank 0 of 2 gave up: " + std::string(300, 'x'));
}

TEST(lost_thread, different_calls_are_refused_by_all) {
  const auto said = sentences(2, {.timeout = 10min}, [](collective& c) {
    std::vector<float> x(c.rank() == 0 ? 7 : 8);
    c.all_reduce(x);
  });
  EXPECT_THAT(said[0], AllOf(HasSubstr("all_reduce of 7 floats"), HasSubstr("all_reduce of 8 floats")));
  EXPECT_EQ(said[0], said[1]);
  const auto roots = sentences(2, {.timeout = 10min}, [](collective& c) {
    std::vector<double> x(3);
    c.broadcast(x, c.rank());
  });
  EXPECT_THAT(roots[0], AllOf(HasSubstr("broadcast of 3 doubles with root 0"), HasSubstr("with root 1")));
}

}  // namespace
