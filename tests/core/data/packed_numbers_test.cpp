// SPDX-License-Identifier: Apache-2.0
#include "data/packed_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <utility>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::detail {
namespace {

using numbers = std::vector<std::uint64_t>;
constexpr std::uint64_t most = (std::uint64_t{1} << widest_packed) - 1;

std::vector<std::uint64_t> pack(const numbers& all) {
  number_packer packer;
  for (const std::uint64_t n : all) packer.add(n);
  return std::move(packer).finish();
}

std::optional<numbers> unpack(std::span<const std::byte> packed, std::size_t count) {
  numbers all;
  const bool possible = unpack_numbers(packed, count, [&](std::size_t first, std::span<const std::uint64_t> block) {
    EXPECT_EQ(first, all.size());
    all.insert(all.end(), block.begin(), block.end());
    return true;
  });
  return possible ? std::optional(all) : std::nullopt;
}

std::span<const std::byte> bytes(const std::vector<std::uint64_t>& packed) {
  return std::as_bytes(std::span(packed));
}

/// Mostly narrow numbers over a base, with some of any width among them.
rc::Gen<numbers> any_numbers() {
  return rc::gen::mapcat(rc::gen::tuple(rc::gen::inRange(0u, 2000u), rc::gen::inRange(0u, widest_packed + 1),
                                        rc::gen::inRange(0u, widest_packed + 1), rc::gen::arbitrary<std::uint64_t>()),
                         [](const auto& shape) {
                           const auto [count, width, odd_width, seed] = shape;
                           const counter_random random(seed, 0);
                           const std::uint64_t base = random.bits(0) & most >> 1;
                           numbers all;
                           for (std::uint64_t k = 0; k < count; ++k) {
                             const bool odd = random.below(4 * k + 1, 100) < 3;
                             const std::uint64_t low = random.bits(4 * k + 2) & ((std::uint64_t{1} << width) - 1);
                             const std::uint64_t any = random.bits(4 * k + 3) & ((std::uint64_t{1} << odd_width) - 1);
                             all.push_back(odd ? any : std::min(base + low, most));
                           }
                           return rc::gen::just(all);
                         });
}

RC_GTEST_PROP(packed_numbers, come_back_as_they_were, ()) {
  const numbers all = *any_numbers();
  const std::vector<std::uint64_t> packed = pack(all);
  RC_ASSERT(unpack(bytes(packed), all.size()) == all);
  RC_ASSERT(all.size() <= most_packed(packed.size() * 8));
}

RC_GTEST_PROP(packed_numbers, are_refused_where_bytes_are_missing_or_too_many, ()) {
  const numbers all = *any_numbers();
  std::vector<std::uint64_t> packed = pack(all);
  const std::size_t kept = *rc::gen::inRange<std::size_t>(0, packed.size() * 8);
  RC_ASSERT(!unpack(bytes(packed).first(kept), all.size()));
  packed.push_back(0);
  RC_ASSERT(!unpack(bytes(packed), all.size()));
}

RC_GTEST_PROP(packed_numbers, of_any_bytes_are_refused_or_as_many_as_were_asked_for, ()) {
  const auto packed = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>());
  const auto count = *rc::gen::inRange<std::size_t>(0, 3000);
  const std::optional<numbers> found = unpack(bytes(packed), count);
  if (!found) return;
  RC_ASSERT(found->size() == count);
  for (const std::uint64_t n : *found) RC_ASSERT(n <= 2 * most);
}

RC_GTEST_PROP(packed_numbers, differences_come_back, (std::vector<std::uint32_t> some)) {
  some.insert(some.end(), {0, std::numeric_limits<std::uint32_t>::max(), 0, 7, 7});
  RC_ASSERT(unpack_differences(bytes(pack_differences(some)), some.size()) == some);
  RC_ASSERT(!unpack_differences(bytes(pack_differences(some)), some.size() + packed_block));
}

TEST(packed_numbers, none_are_one_word) {
  EXPECT_EQ(pack({}).size(), 1u);
  EXPECT_EQ(unpack(bytes(pack({})), 0), numbers{});
  EXPECT_FALSE(unpack({}, 0));
}

TEST(packed_numbers, take_the_bits_that_their_neighbours_take) {
  constexpr std::size_t blocks = 100;
  const auto bits_of_a_block = [](auto&& number) {
    numbers all;
    for (std::size_t k = 0; k < blocks * packed_block; ++k) {
      all.push_back(static_cast<std::uint64_t>(number(k % packed_block, k / packed_block)));
    }
    const std::vector<std::uint64_t> packed = pack(all);
    EXPECT_EQ(unpack(bytes(packed), all.size()), all);
    return (64.0 * static_cast<double>(packed.size()) - 128) / blocks;
  };
  const double head = 28, slack = 1.28;
  EXPECT_NEAR(bits_of_a_block([](auto, auto) { return 0; }), head, slack);
  EXPECT_NEAR(bits_of_a_block([](auto, auto) { return 14; }), head + 4, slack);
  EXPECT_NEAR(bits_of_a_block([](auto k, auto) { return 1000 + k % 16; }), head + 10 + 4 * 512, slack);
  // One number above all others, and one below: each takes its place and as many bits as the largest.
  EXPECT_NEAR(bits_of_a_block([](auto k, auto) { return k == 99 ? 500 : 3; }), head + 2 + 9 + 9, slack);
  EXPECT_NEAR(bits_of_a_block([](auto k, auto) { return k == 99 ? 0 : 3; }), head + 2 + 9 + 2, slack);
  // Blocks are independent of each other.
  EXPECT_NEAR(bits_of_a_block([](auto k, auto b) { return b == 50 ? k * k : k % 2; }), head + 512 * (1 + 0.17), 12);
}

TEST(packed_numbers, an_impossible_block_is_refused) {
  const auto block = [](std::uint64_t width, std::uint64_t base, std::uint64_t odd_width, std::uint64_t odd) {
    const std::vector<std::uint64_t> packed(200, 0);
    std::vector<std::uint64_t> changed = packed;
    changed[0] = width | base << 6 | odd_width << 12 | odd << 18;
    number_unpacker from(bytes(changed));
    numbers some(2);
    return from.next(some);
  };
  EXPECT_TRUE(block(56, 56, 56, 2));
  EXPECT_FALSE(block(57, 0, 0, 0));
  EXPECT_FALSE(block(0, 57, 0, 0));
  EXPECT_FALSE(block(0, 0, 57, 0));
  EXPECT_FALSE(block(0, 0, 56, 1000));  // more than the bytes hold
  std::vector<std::uint64_t> beyond(3, 0);
  beyond[0] = std::uint64_t{1} << 18 | std::uint64_t{2} << 28;  // an exception at place 2 of two
  number_unpacker from(bytes(beyond));
  numbers some(2);
  EXPECT_FALSE(from.next(some));
}

TEST(packed_numbers, differences_that_leave_32_bits_are_refused) {
  const auto differences = [](const numbers& steps) { return unpack_differences(bytes(pack(steps)), steps.size()); };
  EXPECT_EQ(differences({2, 1, 0x1fffffffe}), (std::vector<std::uint32_t>{1, 0, 0xffffffff}));
  EXPECT_FALSE(differences({1}));            // -1
  EXPECT_FALSE(differences({0x200000000}));  // 2^32
}

}  // namespace
}  // namespace hogwild::detail
