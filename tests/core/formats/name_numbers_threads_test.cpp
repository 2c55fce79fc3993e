// SPDX-License-Identifier: Apache-2.0
// Threads that ask for numbers of the same names at the same time.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "formats/name_numbers.hpp"

namespace hogwild::detail {
namespace {

TEST(name_numbers_of_threads, are_the_same_whoever_meets_a_name_first) {
  constexpr std::uint32_t many = 5'000, threads = 4;
  const auto name = [](std::uint32_t k) { return std::string(k % 40, 'x') + std::to_string(k); };
  name_numbers numbers({}, name_numbers::dropped - 1, "too many");
  std::vector<std::vector<std::uint32_t>> found(threads, std::vector<std::uint32_t>(many));
  const auto ask = [&](std::uint32_t thread) {
    for (std::uint32_t n = 0; n < many; ++n) {
      const std::uint32_t k = thread % 2 == 0 ? n : many - 1 - n;
      numbers.announce(hash_of(name((k + 8) % many)));
      found[thread][k] = numbers.number_of(name(k));
    }
  };
  std::vector<std::thread> all;
  for (std::uint32_t t = 0; t < threads; ++t) all.emplace_back(ask, t);
  for (std::thread& each : all) each.join();
  for (const std::vector<std::uint32_t>& of_thread : found) EXPECT_EQ(of_thread, found.front());
  const std::set<std::uint32_t> different(found.front().begin(), found.front().end());
  EXPECT_EQ(different.size(), many);
  EXPECT_EQ(*different.rbegin(), many - 1);
}

}  // namespace
}  // namespace hogwild::detail
