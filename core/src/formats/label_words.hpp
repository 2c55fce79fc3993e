// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/data/label_spelling.hpp>

#include "text/decimal.hpp"

namespace hogwild::detail {

/// Whether label_text() would spell the label like this; the test is quick, and may say no although it would.
inline bool is_short_plain(const char* first, const char* last) {
  const char* const digits = first + (*first == '-');
  const auto length = last - digits;
  if (length == 1) return is_digit(*digits);
  if (length > 15 || (*digits == '0' && digits[1] != '.')) return false;
  const char* point = nullptr;
  for (const char* p = digits; p != last; ++p) {
    if (is_digit(*p)) continue;
    if (*p != '.' || point != nullptr) return false;
    point = p;
  }
  // The smallest such number that label_text() writes is 0.00000001.
  return point == nullptr || (point != digits && last - point <= 9 && is_digit(last[-1]) && last[-1] != '0');
}

/// Records the spelling of the label [first, last), which was read as `label`, unless it is label_text().
inline void keep_spelling(const char* first, const char* last, double label, label_spelling& spelling) {
  if (!is_short_plain(first, last)) [[unlikely]]
    spelling.add(label, {first, static_cast<std::size_t>(last - first)});
}

/// The reason why the label `text`, which was read as `label`, is refused: it is a whole number that double precision
/// does not distinguish from its neighbours, so that several classes would become one. Empty if it is accepted.
std::string rounded_label_fault(std::string_view text, double label);

}  // namespace hogwild::detail
