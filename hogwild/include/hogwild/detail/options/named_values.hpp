// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild {

/// A value that two runs or two ranks compare, as text for messages.
struct named_value {
  std::string name, value;            ///< an empty value is one that is not given
  exit_code code = exit_code::usage;  ///< of the error if ranks differ in it
};

namespace detail {

/// The list as one text; no name and no value has a zero character. Codes are left out.
std::string joined(std::span<const named_value> all);
/// Takes apart such a text. Of any other text, the rest without an end is the name of the last entry.
std::vector<named_value> taken_apart(const std::string& text);

/// A list of numbers as text, with commas. A long one is shortened, and ends with a checksum of the whole.
std::string text_of_numbers(std::span<const double> numbers);
/// The same for a text that is a list already.
std::string shortened(const std::string& text);

/// The first entry in which two lists differ, as text for messages.
struct value_difference {
  std::size_t place;
  std::string name, mine, other;  ///< "not given" where a value is empty, or a list lacks the entry
  exit_code code;
};
std::optional<value_difference> first_difference(std::span<const named_value> mine, std::span<const named_value> other);

}  // namespace detail
}  // namespace hogwild
