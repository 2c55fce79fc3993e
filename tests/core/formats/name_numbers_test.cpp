// SPDX-License-Identifier: Apache-2.0
#include "formats/name_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

constexpr std::uint32_t no_limit = name_numbers::dropped - 1;

/// Some are longer than a string holds in place.
std::string name_of(std::uint32_t k) {
  return std::string(k % 40, 'x') + std::to_string(k);
}

TEST(name_numbers, numbers_new_names_behind_the_known_in_the_order_of_their_bytes) {
  std::vector<std::string> names = {"zoe", "ann"};
  name_numbers numbers(names, no_limit, "too many");
  const std::uint32_t carl = numbers.number_of("carl"), bob = numbers.number_of("bob");
  EXPECT_EQ(numbers.number_of("ann"), 1u);
  EXPECT_EQ(numbers.number_of("carl"), carl);
  EXPECT_EQ(numbers.find("dora"), std::nullopt);
  const std::vector<std::uint32_t> settled = numbers.settle(names);
  EXPECT_EQ(names, (std::vector<std::string>{"zoe", "ann", "bob", "carl"}));
  EXPECT_EQ(settled[0], 0u);
  EXPECT_EQ(settled[1], 1u);
  EXPECT_EQ(settled[bob], 2u);
  EXPECT_EQ(settled[carl], 3u);
}

TEST(name_numbers, of_known_names_do_not_shift_behind_gaps) {
  std::vector<std::string> names = {"a", "", "b", "", "c"};
  name_numbers numbers(names, no_limit, "too many");
  EXPECT_EQ(numbers.find("b"), 2u);
  EXPECT_EQ(numbers.find("c"), 4u);
  const std::uint32_t fresh = numbers.number_of("d");
  EXPECT_EQ(numbers.settle(names)[fresh], 5u);
}

TEST(name_numbers, keeps_many_names_of_any_length_apart) {
  constexpr std::uint32_t many = 20'000;
  name_numbers numbers({}, no_limit, "too many");
  const std::size_t before = numbers.bytes();
  for (std::uint32_t k = 0; k < many; ++k) EXPECT_EQ(numbers.number_of(name_of(k)), k);
  EXPECT_GT(numbers.bytes(), before + 40 * std::size_t{many});
  for (std::uint32_t k = 0; k < many; ++k) EXPECT_EQ(numbers.find(name_of(k)), k);
  std::vector<std::string> names;
  const std::vector<std::uint32_t> settled = numbers.settle(names);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (std::uint32_t k = 0; k < many; ++k) EXPECT_EQ(names[settled[k]], name_of(k));
}

TEST(name_numbers, tells_names_of_equal_hashes_apart) {
  name_numbers numbers({}, no_limit, "too many");
  std::map<std::string, std::uint32_t> expected;
  for (std::uint32_t k = 0; k < 200; ++k) expected[name_of(k)] = numbers.number_of(name_of(k), 7);
  for (const auto& [name, number] : expected) EXPECT_EQ(numbers.find(name, 7), number);
  EXPECT_EQ(numbers.find("another", 7), std::nullopt);
}

TEST(name_numbers, refuses_more_names_than_may_be_and_leaves_out_those_that_are_not_kept) {
  std::vector<std::string> names = {"a", "b"};
  name_numbers numbers(names, 3, "too many names");
  const std::uint32_t d = numbers.number_of("d"), c = numbers.number_of("c");
  EXPECT_THROW(numbers.number_of("e"), resource_error);
  EXPECT_EQ(numbers.find("e"), std::nullopt);
  const std::vector<std::uint32_t> settled = numbers.settle(names, [&](std::uint32_t number) { return number != c; });
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(settled[c], name_numbers::dropped);
  EXPECT_EQ(settled[d], 2u);
}

}  // namespace
}  // namespace hogwild::detail
