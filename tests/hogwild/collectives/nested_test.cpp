// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/nested.hpp>

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/error.hpp>

#include "support/timed_out_member.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t processes = 3, each = 2, members = processes * each;

/// Calls body(member) in a thread for each member of three groups of two.
template <class Body>
void as_members(const Body& body) {
  thread_group across(processes);
  std::vector<std::unique_ptr<thread_group>> groups;
  std::vector<std::unique_ptr<collective>> firsts, all;
  for (std::size_t p = 0; p < processes; ++p) {
    groups.push_back(std::make_unique<thread_group>(each));
    firsts.push_back(across.join(p));
    std::vector<std::unique_ptr<collective>> own;
    for (std::size_t m = 0; m < each; ++m) own.push_back(groups[p]->join(m));
    for (auto& member : nest(std::move(own), *firsts[p])) all.push_back(std::move(member));
  }
  std::vector<std::thread> threads;
  for (const auto& member : all) threads.emplace_back([&] { body(*member); });
  for (std::thread& t : threads) t.join();
}

TEST(nested_collective, is_one_group_of_all_members) {
  std::vector<std::size_t> seen(members);
  as_members([&](collective& me) {
    EXPECT_EQ(me.size(), members);
    seen.at(me.rank()) += 1;
  });
  EXPECT_EQ(seen, std::vector<std::size_t>(members, 1));
}

TEST(nested_collective, sums_broadcasts_reduces_and_gathers) {
  as_members([](collective& me) {
    const auto rank = static_cast<float>(me.rank());
    const auto number = static_cast<double>(me.rank());
    std::vector<float> x{rank, 1.0f};
    me.all_reduce(std::span(x));
    EXPECT_EQ(x, (std::vector<float>{15.0f, 6.0f}));
    for (std::size_t root = 0; root < members; ++root) {
      std::vector<double> y{number + 0.5};
      me.broadcast(std::span(y), root);
      EXPECT_EQ(y[0], static_cast<double>(root) + 0.5);
      y = {number + 1.0};
      me.reduce(std::span(y), root);
      EXPECT_EQ(y[0], me.rank() == root ? 21.0 : number + 1.0);
      std::vector<float> all(me.rank() == root ? 2 * members : 0);
      me.gather(std::vector<float>{rank, -rank}, std::span(all), root);
      for (std::size_t r = 0; r < all.size() / 2; ++r) {
        EXPECT_EQ(all[2 * r], static_cast<float>(r));
        EXPECT_EQ(all[2 * r + 1], -static_cast<float>(r));
      }
      me.barrier();
    }
  });
}

TEST(nested_collective, ends_for_all_when_one_fails) {
  std::vector<std::string> said(members);
  as_members([&](collective& me) {
    if (me.rank() == 3) return me.fail("no paper");
    std::vector<float> x{1.0f};
    try {
      me.all_reduce(std::span(x));
      me.all_reduce(std::span(x));
    } catch (const worker_error& e) {
      said[me.rank()] = e.what();
      me.fail(e.what());
    }
  });
  for (std::size_t r = 0; r < members; ++r) {
    if (r == 3) continue;
    EXPECT_NE(said[r], "") << r;
  }
}

// An array of this length is unmapped when it is destroyed.
TEST(nested_collective, keeps_what_others_still_read_when_one_throws) {
  constexpr std::size_t longest = (std::size_t{33} << 20) / sizeof(double);
  std::vector<std::span<const double>> offered;
  thread_group one_process(1);
  const auto across = one_process.join(0);
  std::vector<std::unique_ptr<collective>> own;
  own.push_back(std::make_unique<test::timed_out_member>(offered));
  const auto members = nest(std::move(own), *across);
  std::vector<double> x(longest, 3.0), few(longest / 2), all(longest);
  EXPECT_THROW(members[0]->reduce(std::span(x), 0), worker_error);
  EXPECT_THROW(members[0]->gather(std::span<const double>(few), std::span(all), 0), worker_error);
  EXPECT_THROW(members[0]->reduce(std::span(x).first(1), 0), worker_error);
  ASSERT_EQ(offered.size(), 3u);
  offered.pop_back();
  for (const std::span<const double> numbers : offered) {
    ASSERT_TRUE(test::is_mapped(numbers));
    EXPECT_EQ(numbers[longest / 2], 3.0);
  }
}

}  // namespace
