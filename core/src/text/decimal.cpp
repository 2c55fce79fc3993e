// SPDX-License-Identifier: Apache-2.0
#include "text/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace hogwild::detail {
namespace {

/// Whether a number out of range is too small rather than too large: std::from_chars does not tell which.
bool is_tiny(const char* first, const char* last) {
  const char* const e = std::find_if(first, last, [](char c) { return c == 'e' || c == 'E'; });
  const char* const point = std::find(first, e, '.');
  const char* const lead = std::find_if(first, e, [](char c) { return c >= '1' && c <= '9'; });
  const long long magnitude = lead < point ? point - lead : point - lead + 1;
  long long exponent = 0;
  if (e != last) {
    const char* digits = e + 1;
    const bool negative = *digits == '-';
    digits += negative || *digits == '+';
    for (; digits != last; ++digits) exponent = std::min(exponent * 10 + (*digits - '0'), 1'000'000'000'000'000LL);
    if (negative) exponent = -exponent;
  }
  return magnitude + exponent < 0;
}

template <class T>
number_fault read(const char* first, const char* last, T& value) {
  if (first != last && *first == '+') {
    ++first;
    if (first == last || *first == '-') return number_fault::not_a_number;
  }
  const auto [end, status] = std::from_chars(first, last, value);
  if (end != last || status == std::errc::invalid_argument) return number_fault::not_a_number;
  if (status == std::errc::result_out_of_range) {
    if (!is_tiny(first, last)) return number_fault::not_finite;
    value = *first == '-' ? -T{0} : T{0};
  }
  return std::isfinite(value) ? number_fault::none : number_fault::not_finite;
}

}  // namespace

number_fault read_decimal(const char* first, const char* last, float& value) {
  return read(first, last, value);
}
number_fault read_decimal(const char* first, const char* last, double& value) {
  return read(first, last, value);
}

}  // namespace hogwild::detail
