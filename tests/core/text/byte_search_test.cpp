// SPDX-License-Identifier: Apache-2.0
#include "text/byte_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include <hogwild/detail/math/random.hpp>

namespace hogwild::detail {
namespace {

TEST(byte_search, counts_a_byte_in_texts_of_any_length) {
  const counter_random random(5, 0);
  std::uint64_t n = 0;
  for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 63u, 2039u, 2040u, 2041u, 5000u}) {
    for (const unsigned different : {1u, 3u, 256u}) {
      std::string text(size, '\0');
      for (char& c : text) c = static_cast<char>(random.below(n++, different) + (different < 256 ? '\x7f' : 0));
      for (const char c : {'\0', '\x01', '\n', '\x7f', '\x80', '\x81', '\xff'})
        EXPECT_EQ(count_byte(text, c), static_cast<std::size_t>(std::ranges::count(text, c))) << size << ' ' << int{c};
    }
  }
}

TEST(byte_search, finds_the_first_zero_of_eight_bytes) {
  for (unsigned zero = 0; zero < 8; ++zero)
    for (unsigned others : {0x01u, 0x7fu, 0x80u, 0xffu}) {
      std::uint64_t word = every_byte(static_cast<char>(others));
      EXPECT_EQ(first_zero_byte(word), 0u) << others;
      word &= ~(std::uint64_t{0xff} << 8 * zero);
      EXPECT_EQ(std::countr_zero(first_zero_byte(word)) / 8, static_cast<int>(zero)) << others;
      if (zero < 7) word &= ~(std::uint64_t{0xff} << 56);
      EXPECT_EQ(std::countr_zero(first_zero_byte(word)) / 8, static_cast<int>(zero)) << others;
    }
}

}  // namespace
}  // namespace hogwild::detail
