// SPDX-License-Identifier: Apache-2.0
// The checks of every collective with a stand-in for NCCL, and the errors of its faults.
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "communicator.hpp"
#include "nccl_member.hpp"
#include "support/collective_checks.hpp"
#include "support/eventually.hpp"
#include "support/refusal.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

struct nccl_collective : testing::TestWithParam<std::tuple<std::size_t, test::collective_check>> {};

TEST_P(nccl_collective, conforms) {
  const auto [size, check] = GetParam();
  const auto run = check.run;
  const std::size_t aborted_before = test::aborted_fake_communicators();
  std::vector<std::string> faults(size);
  const auto said = test::nccl_sentences(size, {}, [&](collective& c) { faults[c.rank()] = run(c); });
  for (std::size_t r = 0; r < size; ++r) EXPECT_EQ(faults[r] + said[r], "");
  EXPECT_EQ(test::open_fake_communicators(), 0u);
  EXPECT_EQ(test::aborted_fake_communicators(), aborted_before);
}

INSTANTIATE_TEST_SUITE_P(sizes, nccl_collective,
                         testing::Combine(testing::Range(std::size_t{1}, std::size_t{6}),
                                          testing::ValuesIn(test::collective_checks)),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) + "_" +
                                  std::to_string(std::get<0>(test.param));
                         });

// In float 1e8 + 1 is 1e8: what is left of the 1 shows where it was added.
TEST(nccl_group, adds_in_the_order_of_ranks_where_nccl_itself_does_not) {
  constexpr std::array mine{1.0f, 1e8f, -1e8f};
  nccl::unique_id id{};
  ASSERT_EQ(test::fake_nccl().get_unique_id(&id), nccl::success);
  const auto said = test::nccl_sentences(3, {}, [&](collective& c) {
    std::vector<float> x(5, mine[c.rank()]);
    const auto device = device::open_emulated(1);
    nccl::communicator others(test::fake_nccl(), *device, id, c.rank(), 3, 1min);
    std::vector<float> by_nccl = x;
    others.add_up(by_nccl.data(), by_nccl.size());
    EXPECT_EQ(by_nccl, std::vector<float>(5, 1.0f));
    c.all_reduce(x);
    EXPECT_EQ(x, std::vector<float>(5, 0.0f));
  });
  for (const std::string& sentence : said) EXPECT_EQ(sentence, "");
  EXPECT_EQ(test::open_fake_communicators(), 0u);
}

TEST(nccl_group, refuses_roots_and_rooms_that_do_not_exist) {
  const auto said = test::nccl_sentences(1, {}, [](collective& c) {
    std::vector<float> x(4), all(7);
    EXPECT_THROW(c.broadcast(x, 1), config_error);
    EXPECT_THROW(c.reduce(x, 1), config_error);
    EXPECT_THROW(c.gather(x, all, 0), config_error);
    EXPECT_THROW(c.all_gather(x, all), config_error);
  });
  EXPECT_EQ(said[0], "");
}

/// A group whose members may end in any way.
class lost_device : public testing::Test {
 protected:
  ~lost_device() override {
    test::break_fake_nccl(test::nccl_fault::none, 0, 0);
    EXPECT_EQ(test::open_fake_communicators(), 0u);
  }
};

TEST_F(lost_device, one_that_leaves_is_not_waited_for) {
  std::vector<std::string> said;
  EXPECT_TRUE(test::ends_within(1min, [&] {
    said = test::nccl_sentences(3, {.timeout = 10min}, [](collective& c) {
      std::vector<double> x(5);
      c.all_reduce(x);
      if (c.rank() == 1) return;
      EXPECT_THROW(c.broadcast(x, 0), worker_error);
      c.barrier();
    });
  }));
  EXPECT_EQ(said[1], "");
  for (const std::size_t rank : {0u, 2u}) EXPECT_THAT(said[rank], HasSubstr("rank 1 of 3 has left"));
}

TEST_F(lost_device, one_that_does_not_come_is_named) {
  std::atomic<int> gave_up{0};
  const auto said = test::nccl_sentences(3, {.timeout = 200ms}, [&](collective& c) {
    std::vector<float> x(5);
    c.all_reduce(x);
    if (c.rank() == 2) {
      EXPECT_TRUE(test::eventually(60s, [&] { return gave_up == 2; }));
    }
    try {
      c.all_reduce(x);
    } catch (const error&) {
      ++gave_up;
      throw;
    }
  });
  for (const std::size_t rank : {0u, 1u})
    EXPECT_THAT(said[rank], AllOf(HasSubstr("rank 2 of 3"), HasSubstr("within 0.2 s")));
  EXPECT_THAT(said[2], HasSubstr("rank 2 of 3"));
}

TEST_F(lost_device, one_that_fails_tells_the_others_why) {
  const auto said = test::nccl_sentences(3, {.timeout = 10min}, [](collective& c) {
    if (c.rank() == 0) return c.fail("row 17 of a.svm is torn");
    c.barrier();
  });
  for (const std::size_t rank : {1u, 2u}) EXPECT_EQ(said[rank], "rank 0 of 3 gave up: row 17 of a.svm is torn");
}

/// Rank 1 joins NCCL, and leaves before it has told the others.
TEST_F(lost_device, one_that_leaves_as_it_joins_is_not_waited_for) {
  const std::size_t aborted_before = test::aborted_fake_communicators();
  const std::size_t finalized_before = test::finalized_fake_communicators();
  thread_group group(2, {.timeout = 10min});
  void* left_behind = nullptr;
  std::string said;
  test::run_together(2, [&](std::size_t rank) {
    if (rank == 0) {
      said = test::refusal_of<worker_error>([&] { test::join_fake(group.join(0), {.timeout = 10min}); });
      return;
    }
    const auto carrier = group.join(1);
    const std::array<double, sizeof(nccl::unique_id) / sizeof(double)> none{};
    std::array<double, 2 * none.size()> ids{};
    carrier->all_gather(std::span<const double>(none), std::span<double>(ids));
    nccl::unique_id of_rank_0{};
    std::memcpy(&of_rank_0, ids.data(), sizeof of_rank_0);
    nccl::config options;
    test::fake_nccl().init(&left_behind, 2, of_rank_0, 1, &options);
  });
  EXPECT_THAT(said, HasSubstr("rank 1 of 2 has left"));
  EXPECT_EQ(test::aborted_fake_communicators(), aborted_before + 1);
  EXPECT_EQ(test::finalized_fake_communicators(), finalized_before) << "rank 1 was waited for";
  test::fake_nccl().abort(left_behind);
}

/// The rank undoes what it has begun, and so do the others, which wait for it.
TEST_F(lost_device, one_that_nccl_does_not_let_join_is_named_by_all_and_leaves_nothing) {
  test::break_fake_nccl(test::nccl_fault::refused_to_join, 1);
  const std::size_t aborted_before = test::aborted_fake_communicators();
  const auto said = test::nccl_sentences(3, {.timeout = 600ms}, [](collective&) { FAIL() << "it has joined"; });
  const std::string why = "NCCL failed to join the ranks' devices: internal error (a cable is out)";
  EXPECT_THAT(said[1], testing::StartsWith(why));
  for (const std::size_t rank : {0u, 2u}) EXPECT_THAT(said[rank], HasSubstr("rank 1 of 3 gave up: " + why));
  EXPECT_EQ(test::open_fake_communicators(), 0u);
  EXPECT_EQ(test::aborted_fake_communicators(), aborted_before + 3);
}

TEST_F(lost_device, different_calls_are_refused_by_all) {
  const auto said = test::nccl_sentences(2, {.timeout = 10min}, [](collective& c) {
    std::vector<float> x(c.rank() == 0 ? 7 : 8);
    c.all_reduce(x);
  });
  EXPECT_THAT(said[0], AllOf(HasSubstr("all_reduce of 7 floats"), HasSubstr("all_reduce of 8 floats")));
  EXPECT_EQ(said[0], said[1]);
  const auto roots = test::nccl_sentences(2, {.timeout = 10min}, [](collective& c) {
    std::vector<double> x(3);
    c.broadcast(x, c.rank());
  });
  EXPECT_THAT(roots[0], AllOf(HasSubstr("broadcast of 3 doubles with root 0"), HasSubstr("with root 1")));
}

/// Each of the two exchanges of an all_reduce, in the first call and in a later one.
TEST_F(lost_device, messages_that_get_stuck_end_the_call_for_all_in_time) {
  for (const std::size_t after : {0u, 1u, 4u, 5u}) {
    test::break_fake_nccl(test::nccl_fault::stuck, 1, after);
    std::vector<std::string> said;
    EXPECT_TRUE(test::ends_within(20s, [&] {
      said = test::nccl_sentences(3, {.timeout = 600ms}, [](collective& c) {
        std::vector<float> x(1000);
        for (;;) c.all_reduce(x);
      });
    }));
    for (const std::string& sentence : said)
      EXPECT_THAT(sentence, AllOf(HasSubstr("NCCL brought rank"), HasSubstr("raise that"))) << after;
  }
}

/// The others have what they need, and wait for it in the next call.
TEST_F(lost_device, one_that_is_stuck_alone_is_named_by_all) {
  test::break_fake_nccl(test::nccl_fault::stuck, 2, 0);
  const auto said = test::nccl_sentences(3, {.timeout = 2s}, [](collective& c) {
    std::vector<float> x(1000);
    c.broadcast(x, 0);
    c.barrier();
  });
  for (const std::string& sentence : said) EXPECT_THAT(sentence, HasSubstr("NCCL brought rank 2 of 3 nothing more"));
}

TEST_F(lost_device, what_nccl_refuses_is_told_to_all) {
  for (const std::size_t after : {0u, 1u, 4u}) {
    test::break_fake_nccl(test::nccl_fault::refused, 1, after);
    const auto said = test::nccl_sentences(3, {.timeout = 600ms}, [](collective& c) {
      std::vector<double> x(1000);
      for (;;) c.all_reduce(x);
    });
    const std::string why = "NCCL failed to exchange numbers: internal error (a cable is out); NCCL_DEBUG=INFO";
    EXPECT_THAT(said[1], HasSubstr(why));
    for (const std::size_t rank : {0u, 2u}) EXPECT_THAT(said[rank], HasSubstr("rank 1 of 3 gave up: " + why)) << after;
  }
}

}  // namespace
