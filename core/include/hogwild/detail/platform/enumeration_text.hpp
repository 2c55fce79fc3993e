// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <ostream>
#include <string_view>
#include <type_traits>

namespace hogwild {

/// Writes an enumerator's word, from to_string() or name_of(), if the enumeration has one of these.
template <class E>
requires std::is_enum_v<E> &&(
    requires(E value) {
      { to_string(value) } -> std::same_as<std::string_view>;
    } ||
    requires(E value) {
      { name_of(value) } -> std::same_as<std::string_view>;
    }) std::ostream&
operator<<(std::ostream& out, E value) {
  if constexpr (requires { to_string(value); })
    return out << to_string(value);
  else
    return out << name_of(value);
}

}  // namespace hogwild
