// SPDX-License-Identifier: Apache-2.0
#include "label_words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::detail {

std::string rounded_label_fault(std::string_view text, double label) {
  if (std::abs(label) < 0x1p53) return {};  // every whole number below that is a double
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  const std::size_t point = digits.find('.');
  if (point != digits.npos && digits.find_first_not_of('0', point + 1) == digits.npos) digits = digits.substr(0, point);
  if (!std::ranges::all_of(digits, is_digit)) return {};  // with an exponent, the number had already been rounded
  char exact[400];
  const auto end = std::to_chars(exact, exact + sizeof exact, std::abs(label), std::chars_format::fixed, 0).ptr;
  const std::string_view read(exact, static_cast<std::size_t>(end - exact));
  if (read == digits) return {};
  return "the label " + quote(text) + " is a whole number that double precision cannot tell from " +
         (label < 0 ? "-" : "") + std::string(read) +
         "; number the classes anew, below 2^53, or write a number that is to be predicted with an exponent, as " +
         to_text(label);
}

}  // namespace hogwild::detail
