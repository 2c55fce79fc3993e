// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace hogwild::detail {

// Decimal numbers from text, eight characters at a time. Every function may read `text_padding` bytes past the token,
// so that the loop checks no length, and vectors read whole blocks of this size: the owner of the text keeps that many
// readable bytes after it.

inline constexpr std::size_t text_padding = 64;

static_assert(std::endian::native == std::endian::little, "digits are told apart in little-endian words");

inline std::uint64_t load_eight(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

/// The number of digits before the first other character among the eight.
inline unsigned leading_digits(std::uint64_t word) {
  const std::uint64_t offset = word ^ 0x3030303030303030u;
  const std::uint64_t others = ((offset + 0x7676767676767676u) | offset) & 0x8080808080808080u;
  return others == 0 ? 8u : static_cast<unsigned>(std::countr_zero(others)) >> 3;
}

/// The number that the first `count` (1 to 8) characters spell; they must be digits.
inline std::uint32_t digits_to_number(std::uint64_t word, unsigned count) {
  word <<= (8 - count) * 8;  // the zero bits shifted in count as leading zeros
  word &= 0x0f0f0f0f0f0f0f0fu;
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffu;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffu;
  return static_cast<std::uint32_t>(word * 10000 + (word >> 32));
}

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}
inline bool ends_token(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#';
}

// 10^0 to 10^10 are exact in single precision.
inline constexpr float float_powers[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
inline constexpr std::uint32_t integer_powers[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Reads a short decimal such as -0.0312502, 17 or 3.25 and returns the place after it, or null if the slow way is
/// needed (long, with exponent, malformed). A mantissa up to 2^24 and a power of ten up to 10^10 are both exact in
/// single precision, so their quotient, rounded once, is the nearest float: equal to std::from_chars bit by bit.
inline const char* read_short_decimal(const char* p, float& value) {
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t word = load_eight(p);
  std::uint32_t mantissa;
  unsigned decimals = 0;
  if ((word & 0xffff) == 0x2e30) {  // "0."
    p += 2;
    word = load_eight(p);
    decimals = leading_digits(word);
    if (decimals == 0) return nullptr;
    mantissa = digits_to_number(word, decimals);
    p += decimals;
    if (decimals == 8) [[unlikely]] {  // leading zeros can make ten decimals fit
      while (decimals < 10 && is_digit(*p) && mantissa < (1u << 24) / 10) {
        mantissa = mantissa * 10 + static_cast<std::uint32_t>(*p++ - '0');
        ++decimals;
      }
      if (mantissa > 1u << 24) return nullptr;
    }
  } else {
    const unsigned whole = leading_digits(word);
    if (whole - 1 >= 7) return nullptr;
    mantissa = digits_to_number(word, whole);
    p += whole;
    if (*p == '.') {
      word = load_eight(p + 1);
      decimals = leading_digits(word);
      if (decimals == 0 || whole + decimals > 7) return nullptr;
      mantissa = mantissa * integer_powers[decimals] + digits_to_number(word, decimals);
      p += 1 + decimals;
    }
  }
  if (!ends_token(*p)) [[unlikely]]
    return nullptr;
  const float magnitude = static_cast<float>(mantissa) / float_powers[decimals];
  value = negative ? -magnitude : magnitude;
  return p;
}

// 10^0 to 10^8 in double precision.
inline constexpr double double_powers[9] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/// Reads a label such as +1, -1, 17 or 4.7568: a sign, up to seven digits and up to eight decimals, exact in double
/// precision as read_short_decimal is in single. Null if the slow way is needed.
inline const char* read_short_label(const char* p, double& label) {
  const bool negative = *p == '-';
  p += negative || *p == '+';
  std::uint64_t word = load_eight(p);
  const unsigned whole = leading_digits(word);
  if (whole - 1 >= 7) return nullptr;
  std::uint64_t mantissa = digits_to_number(word, whole);
  unsigned decimals = 0;
  p += whole;
  if (*p == '.') {
    word = load_eight(p + 1);
    decimals = leading_digits(word);
    if (decimals == 0) return nullptr;
    mantissa = mantissa * integer_powers[decimals] + digits_to_number(word, decimals);
    p += 1 + decimals;
  }
  if (!ends_token(*p)) return nullptr;
  const double magnitude = static_cast<double>(mantissa) / double_powers[decimals];
  label = negative ? -magnitude : magnitude;
  return p;
}

enum class number_fault { none, not_a_number, not_finite };

/// Reads a whole token [first, last) as std::from_chars does, with an optional '+' in front. Numbers between zero and
/// the smallest representable one become zero.
number_fault read_decimal(const char* first, const char* last, float& value);
number_fault read_decimal(const char* first, const char* last, double& value);

}  // namespace hogwild::detail
