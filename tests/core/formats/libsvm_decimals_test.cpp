// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <string>
#include <vector>

#include "support/random_libsvm.hpp"

namespace hogwild::test {
namespace {

// Ten million random decimals in rows that suit the vector code, on every instruction set.
TEST(libsvm_decimals, equal_from_chars_bit_by_bit) {
  constexpr std::size_t total = 10'000'000, piece = 100'000, row = 50;
  draws draw(6, 0);
  for (std::size_t done = 0; done < total; done += piece) {
    std::string text = "1 1:0.25 2:0.75\n";
    std::vector<std::uint32_t> expected{std::bit_cast<std::uint32_t>(0.25f), std::bit_cast<std::uint32_t>(0.75f)};
    for (std::size_t k = 0; k < piece; ++k) {
      const std::string token = random_decimal(draw);
      float value = 0;
      const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), value);
      ASSERT_EQ(status, std::errc{}) << token;
      ASSERT_EQ(end, token.data() + token.size()) << token;
      expected.push_back(std::bit_cast<std::uint32_t>(value));
      if (k % row == 0) text += k == 0 ? "1" : "\n1";
      text += ' ' + std::to_string(k % row + 1) + ':' + token;
    }
    for (const isa set : isas_here()) {
      const parsed_block block = parse_with(set, text, false);
      ASSERT_FALSE(block.fault) << std::get<2>(*block.fault);
      ASSERT_EQ(block.value, expected) << name_of(set);
    }
  }
}

}  // namespace
}  // namespace hogwild::test
