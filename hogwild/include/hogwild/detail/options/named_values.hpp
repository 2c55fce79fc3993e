// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild {

/// A value that two runs or two ranks compare, as text for messages.
struct named_value {
  std::string name, value;            ///< an empty value is one that is not given
  exit_code code = exit_code::usage;  ///< of the error if ranks differ in it
};

namespace detail {

inline constexpr std::string_view any_value = "(any)";

/// The list as one text; no name and no value has a zero character. Codes are left out.
std::string joined(std::span<const named_value> all);
/// Takes apart such a text. If another text ends within an entry, the entry's name is all that is left of the text.
std::vector<named_value> taken_apart(const std::string& text);

/// A list of numbers as text, with commas. A long one is shortened, and ends with a checksum of the whole.
std::string text_of_numbers(std::span<const double> numbers);
/// The same for a text that is a list already.
std::string shortened(const std::string& text);

/// The first entry in which a list differs from another, as text for messages: by the order of `mine`, then of `other`.
/// Entries of the same name belong together. The value any_value equals every other.
struct value_difference {
  std::size_t place;              ///< in `mine`; behind its end if `mine` lacks the entry
  std::string name, mine, other;  ///< "not given" where a value is empty, or a list lacks the entry
  exit_code code;
};
std::optional<value_difference> first_difference(std::span<const named_value> mine, std::span<const named_value> other);

}  // namespace detail
}  // namespace hogwild
