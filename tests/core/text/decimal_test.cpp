// SPDX-License-Identifier: Apache-2.0
#include "text/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "support/random_libsvm.hpp"

namespace hogwild::detail {
namespace {

/// Reads a value like the parser: the short way, else the long one.
number_fault read_value(const std::string& token, float& value) {
  std::string padded = token;
  padded.append(1, ' ').append(text_padding, '\0');
  const char* const end = padded.data() + token.size();
  if (const char* stop = read_short_decimal(padded.data(), value)) {
    EXPECT_EQ(stop, end) << token;
    return number_fault::none;
  }
  return read_decimal(padded.data(), end, value);
}

void expect_as_from_chars(const std::string& token) {
  float expected = 0, got = 0;
  const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), expected);
  if (status == std::errc::result_out_of_range) return;  // from_chars gives no value then; see below
  ASSERT_EQ(status, std::errc{}) << token;
  ASSERT_EQ(read_value(token, got), number_fault::none) << token;
  ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected)) << token;
}

TEST(decimal, equals_from_chars_bit_by_bit_on_random_decimals) {
  test::draws draw(5, 0);
  for (int n = 0; n < 1'000'000; ++n) {
    std::string token = test::random_decimal(draw);
    if (draw.one_in(8) && token.find('e') == token.npos)
      token += "e" + std::to_string(static_cast<int>(draw.below(80)) - 40);
    ASSERT_NO_FATAL_FAILURE(expect_as_from_chars(token));
  }
}

TEST(decimal, equals_from_chars_for_every_number_of_decimals) {
  for (const char* digits : {"0", "9", "16777216", "16777217", "9999999999999", "00000000001", "5000000000000"})
    for (std::size_t length = 1; length <= std::string(digits).size(); ++length)
      for (const char* whole : {"0.", "-0.", "7.", "16777215.", ".", "00."}) {
        expect_as_from_chars(whole + std::string(digits, length));
        expect_as_from_chars(std::string("-").append(digits, length).append("."));
      }
}

TEST(decimal, a_plus_sign_is_read) {
  float value = 0;
  EXPECT_EQ(read_value("+1.5", value), number_fault::none);
  EXPECT_EQ(value, 1.5f);
  for (const char* token : {"+-1", "++1", "+", "-", "", ".", "1.5x", "0x10", "1e", "--1", "1,5", "0.1.2", "1e5.0"})
    EXPECT_EQ(read_value(token, value), number_fault::not_a_number) << token;
}

TEST(decimal, what_is_too_large_is_refused_and_what_is_too_small_becomes_zero) {
  float value = 1;
  const std::string zeros(400, '0');
  for (const std::string& token :
       {std::string("1e39"), std::string("-3.5e38"), std::string("1").append(zeros),
        std::string("1").append(zeros).append("e-10"), std::string("inf"), std::string("nan"), std::string("-infinity"),
        std::string("0.001e99999999999999999999")})
    EXPECT_EQ(read_value(token, value), number_fault::not_finite) << token;
  for (const std::string& token :
       {std::string("1e-60"), std::string("0.").append(zeros).append("1"), std::string("1000e-99999999999999999999"),
        std::string("0.").append(zeros).append("1e300"), std::string("1").append(zeros).append("e-600")}) {
    ASSERT_EQ(read_value(token, value), number_fault::none) << token;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(value), 0u) << token;
    ASSERT_EQ(read_value(std::string("-").append(token), value), number_fault::none) << token;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(value), 0x80000000u) << token;
  }
  EXPECT_EQ(read_value("1e-45", value), number_fault::none);
  EXPECT_EQ(value, std::numeric_limits<float>::denorm_min());
}

}  // namespace
}  // namespace hogwild::detail
