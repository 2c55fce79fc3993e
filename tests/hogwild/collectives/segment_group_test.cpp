// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/segment.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "segment_member.hpp"
#include "support/collective_checks.hpp"
#include "support/eventually.hpp"
#include "support/program_role.hpp"

using namespace hogwild;
using namespace std::chrono_literals;
using test::running_group;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

/// All, some or none of the members' numbers lie in the segment: the sums are the same.
std::string sums_in_place(collective& c, std::span<std::byte> own) {
  for (const std::size_t n : {7u, 1000u, 200'000u}) {
    const std::vector<float> expected = test::serial_sum<float>(c.size(), n, test::randoms_of<float>);
    for (const std::size_t in_place : {c.size(), c.size() / 2, std::size_t{0}}) {
      std::vector<float> elsewhere = test::randoms_of<float>(c.rank(), n);
      std::span<float> x = elsewhere;
      if (c.rank() < in_place) {
        x = {reinterpret_cast<float*>(own.data() + 64), n};
        std::copy(elsewhere.begin(), elsewhere.end(), x.begin());
      }
      c.all_reduce(x);
      if (!test::same_bits<float>(x, expected)) return test::fault(c, "sums in place are wrong", n, in_place);
    }
  }
  return {};
}

/// Sums until a member is lost, and counts the sums at the beginning of its arena.
std::string endless_sums(collective& c, std::span<std::byte> own) {
  auto& rounds = *reinterpret_cast<std::atomic<std::uint64_t>*>(own.data());
  std::vector<float> x(30'000);
  for (;; rounds.fetch_add(1)) c.all_reduce(x);
}

std::string the_last_one_leaves_first(collective& c, std::span<std::byte>) {
  std::vector<double> x(3);
  c.all_reduce(x);
  if (c.rank() + 1 < c.size()) c.barrier();
  return "left in peace";
}

std::string the_first_one_fails(collective& c, std::span<std::byte>) {
  if (c.rank() == 0) {
    c.fail("its disk is full");
    return "failed";
  }
  c.barrier();
  return "was not told";
}

template <std::size_t K>
std::string run_check(collective& c, std::span<std::byte>) {
  return test::collective_checks[K].run(c);
}

/// The tasks of this program's members.
template <std::size_t... K>
std::vector<test::member_task> all_tasks(std::index_sequence<K...>) {
  return {{"sums_in_place", sums_in_place},
          {"endless_sums", endless_sums},
          {"the_last_one_leaves_first", the_last_one_leaves_first},
          {"the_first_one_fails", the_first_one_fails},
          {std::string(test::collective_checks[K].name), run_check<K>}...};
}

struct segment_collective : testing::TestWithParam<std::tuple<std::size_t, test::collective_check>> {};

TEST_P(segment_collective, conforms) {
  const auto [size, check] = GetParam();
  // Odd sizes with windows so short that nearly everything goes in pieces.
  running_group group(std::string(check.name), size, size % 2 == 1 ? 5000 : 256 * 1024, 60s);
  for (const std::string& said : group.said()) EXPECT_EQ(said, "");
}

INSTANTIATE_TEST_SUITE_P(sizes, segment_collective,
                         testing::Combine(testing::Values(1, 2, 3, 4, 8), testing::ValuesIn(test::collective_checks)),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) + "_" +
                                  std::to_string(std::get<0>(test.param));
                         });

TEST(segment_collective, uses_numbers_in_the_segment_where_they_are) {
  for (const std::size_t size : {2u, 3u}) {
    running_group group("sums_in_place", size, 64 * 1024, 60s);
    for (const std::string& said : group.said()) EXPECT_EQ(said, "");
  }
}

std::uint64_t rounds_of(const running_group& group, std::size_t rank) {
  return reinterpret_cast<const std::atomic<std::uint64_t>*>(group.own(rank).data())->load();
}

/// Waits until all members are summing.
void wait_for_rounds(const running_group& group, std::size_t size) {
  for (std::size_t rank = 0; rank < size; ++rank)
    EXPECT_TRUE(test::eventually(30s, [&] { return rounds_of(group, rank) >= 3; })) << "rank " << rank;
}

TEST(lost_process, one_that_is_killed_is_named_by_all_others_at_once) {
  constexpr std::size_t size = 3;
  for (std::size_t victim = 0; victim < size; ++victim) {
    running_group group("endless_sums", size, 4096, 10min);
    wait_for_rounds(group, size);
    group.process(victim).kill(SIGKILL);
    std::vector<std::string> said;
    EXPECT_TRUE(test::ends_within(20s, [&] { said = group.said(); }));
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (rank == victim) continue;
      EXPECT_THAT(said[rank], AllOf(HasSubstr("rank " + std::to_string(victim) + " of 3 (process "),
                                    HasSubstr("has ended"), HasSubstr("checkpoint")));
    }
  }
}

TEST(lost_process, one_that_is_stopped_is_given_up_after_the_timeout) {
  running_group group("endless_sums", 3, 4096, 1500ms);
  wait_for_rounds(group, 3);
  group.process(1).kill(SIGSTOP);
  group.process(0).wait_for(20s);
  group.process(2).wait_for(20s);
  group.process(1).kill(SIGCONT);
  const auto said = group.said();
  for (const std::size_t rank : {0u, 2u})
    EXPECT_THAT(said[rank], HasSubstr("rank 1 of 3 has not come to all_reduce within 1.5 s"));
  EXPECT_THAT(said[1], HasSubstr("this rank (rank 1 of 3) has been silent for longer than 1.5 s"));
}

TEST(lost_process, one_that_leaves_is_not_waited_for) {
  running_group group("the_last_one_leaves_first", 3, 4096, 10min);
  const auto said = group.said();
  EXPECT_EQ(said[2], "left in peace");
  for (const std::size_t rank : {0u, 1u}) EXPECT_THAT(said[rank], HasSubstr("rank 2 of 3 has left"));
}

TEST(lost_process, one_that_fails_tells_the_others_why) {
  running_group group("the_first_one_fails", 3, 4096, 10min);
  const auto said = group.said();
  EXPECT_EQ(said[0], "failed");
  for (const std::size_t rank : {1u, 2u}) EXPECT_EQ(said[rank], "rank 0 of 3 gave up: its disk is full");
}

TEST(segment_group, refuses_memory_that_does_not_fit) {
  const segment_group_shape shape{.members = 2, .window_bytes = 4096};
  const segment_group_layout layout(shape);
  const segment memory =
      segment::create(unique_segment_name(), segment_header_bytes + layout.total, test::member_identity);
  const std::span<std::byte> shared(memory.data(), memory.bytes());
  EXPECT_THROW(join_segment_group(shared, segment_header_bytes + 1, shape, 0), config_error);
  EXPECT_THROW(join_segment_group(shared.first(layout.total - 1), 0, shape, 0), config_error);
  EXPECT_THROW(join_segment_group(shared, shared.size() + 1, shape, 0), config_error);
  EXPECT_THROW(join_segment_group(shared.subspan(1), segment_header_bytes - 2, shape, 0), config_error);
  EXPECT_THROW(join_segment_group(shared, segment_header_bytes, shape, 2), config_error);
  EXPECT_THROW(segment_group_layout({.members = 0}), config_error);
  EXPECT_THROW(segment_group_layout({.members = 1, .window_bytes = 8}), config_error);
  const auto member = join_segment_group(shared, segment_header_bytes, shape, 0);
  EXPECT_EQ(member->size(), 2u);
  EXPECT_THROW(join_segment_group(shared, segment_header_bytes, shape, 0), config_error);
}

}  // namespace

const hogwild::test::program_role segment_group_role([](int argc, char** argv) -> std::optional<int> {
  const auto tasks = all_tasks(std::make_index_sequence<test::collective_checks.size()>());
  if (const int code = test::member_main(argc, argv, tasks); code >= 0) return code;
  return {};
});
