// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/private_memory.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>

#include "support/refusals.hpp"

using namespace hogwild;

namespace {

std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

TEST(private_memory, is_zeroed_writable_and_begins_on_a_page) {
  for (const std::size_t bytes : {1u, 4096u, 100'000u, 128u << 10, (3u << 20) + 5}) {
    const private_memory memory(bytes);
    const std::span<std::byte> all(memory.base(), bytes);
    EXPECT_EQ(address(memory.base()) % 4096, 0u);
    EXPECT_TRUE(std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0}; }));
    std::ranges::fill(all, std::byte{7});
    EXPECT_EQ(all.back(), std::byte{7});
  }
}

TEST(private_memory, moves_without_moving_what_it_holds) {
  private_memory first(1000);
  std::byte* const place = first.base();
  place[3] = std::byte{42};
  private_memory second(std::move(first));
  EXPECT_EQ(second.base(), place);
  private_memory third;
  third = std::move(second);
  EXPECT_EQ(third.base(), place);
  EXPECT_EQ(place[3], std::byte{42});
  third = private_memory(10);
  EXPECT_EQ(third.base()[3], std::byte{0});
}

TEST(private_memory, says_how_much_it_could_not_get) {
  EXPECT_THAT(test::message_of<resource_error>([] { const private_memory memory(std::size_t{1} << 60); }),
              testing::HasSubstr("1152921504606846976 bytes"));
}

TEST(worker_memory, holds_arrays_apart_each_on_its_own_lines) {
  worker_memory memory;
  constexpr std::size_t arrays = 4, n = 33;
  for (std::size_t k = 0; k < arrays; ++k) {
    const std::span<float> a = memory.array<float>(k, arrays, n);
    ASSERT_EQ(a.size(), n);
    EXPECT_EQ(address(a.data()) % 128, 0u);
    EXPECT_TRUE(std::ranges::all_of(a, [](float x) { return x == 0.0f; })) << k;
    std::ranges::fill(a, static_cast<float>(k + 1));
  }
  for (std::size_t k = 0; k < arrays; ++k) {
    for (const float x : memory.array<float>(k, arrays, n)) EXPECT_EQ(x, static_cast<float>(k + 1));
  }
}

TEST(worker_memory, that_somebody_else_owns_is_used_where_it_is) {
  const private_memory given(1 << 16);
  worker_memory memory(std::span(given.base(), 1 << 16));
  EXPECT_EQ(address(memory.array<float>(0, 4, 1024).data()), address(given.base()));
  EXPECT_EQ(address(memory.array<float>(3, 4, 1024).data()), address(given.base()) + 3 * 4096);
}

TEST(worker_memory, keeps_its_place_from_round_to_round_and_grows_when_asked_for_more) {
  worker_memory memory;
  const std::span<double> first = memory.array<double>(0, 2, 1000);
  EXPECT_EQ(memory.array<double>(0, 2, 1000).data(), first.data());
  EXPECT_EQ(memory.array<float>(0, 2, 10).data(), reinterpret_cast<float*>(first.data()));  // there is room for less
  const std::span<double> longer = memory.array<double>(1, 2, 1'000'000);
  EXPECT_EQ(longer.size(), 1'000'000u);
  longer.front() = 1.0, longer.back() = 2.0;
  const std::span<double> other = memory.array<double>(0, 2, 1'000'000);
  EXPECT_LE(other.data() + other.size(), longer.data());
  EXPECT_EQ(std::ranges::count(other, 0.0), 1'000'000);
}

}  // namespace
