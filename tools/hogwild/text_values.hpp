// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/options/option_facts.hpp>
#include <hogwild/detail/options/option_words.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>

#include "command_line.hpp"

// How the value of an option is declared by the type of the variable that holds it.

namespace hogwild::cli {

using detail::number_range;

/// Texts between commas, none of them empty; returns an error message, or an empty text.
inline std::string add_names(const std::string& text, std::vector<std::string>& names) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) return quote(text) + " is not NAME,NAME,...";
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return {};
}

template <class T>
struct value_inside {
  using type = T;
};
template <class T>
struct value_inside<std::optional<T>> {
  using type = T;
};

template <class T>
concept number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// Sets a number, or one that may be left out, from a text.
template <class Value>
std::string set_number(const detail::option_facts& of, const std::string& text, Value& value) {
  using type = typename value_inside<Value>::type;
  const bool may_be_auto = of.placeholder.starts_with("auto|");
  if (may_be_auto && text == "auto") {
    value = Value{};
    return {};
  }
  const std::string kind = of.range.text(std::integral<type>);
  const std::string fault = quote(text) + (may_be_auto ? " is neither 'auto' nor a " + kind : " is no " + kind);
  if constexpr (std::integral<type>) {
    const auto whole = to_count(text);
    const bool bounded = of.range.least != number_range{}.least && !of.zero_is_none;
    if (!whole) return bounded ? fault : quote(text) + " is not a whole number from 0 on";
    if (of.zero_is_none && *whole == 0)
      value = Value{};
    else if (!of.range.has(static_cast<double>(*whole)))
      return fault;
    else
      value = static_cast<type>(*whole);
  } else {
    const auto number = to_number(text);
    if (of.zero_is_none && number == 0.0)
      value = Value{};
    else if (!number || !of.range.has(*number))
      return fault;
    else
      value = *number;
  }
  return {};
}

/// Declares an option whose variable is a flag, a number, a word of an enumeration, a file's name or a list of names.
template <class Value>
void declare_value(command_line& line, const detail::option_facts& of, Value& value) {
  using type = typename value_inside<Value>::type;
  constexpr bool is_optional = !std::same_as<type, Value>;
  const std::string word(of.word), help(of.help);
  const auto placeholder = [&](const char* otherwise) {
    return of.placeholder.empty() ? std::string(otherwise) : std::string(of.placeholder);
  };
  if constexpr (std::same_as<Value, bool>) {
    line.flag(of.turns_off ? word + ",!--no-" + word.substr(2) : word, value, help);
  } else if constexpr (number<type>) {
    std::string shown(of.otherwise);
    if constexpr (!is_optional)
      if (shown.empty()) shown = detail::to_text(value);
    line.option(word, placeholder(std::integral<type> ? "N" : "X"), shown, help,
                [&of, &value](const std::string& text) { return set_number(of, text, value); });
  } else if constexpr (std::is_enum_v<type>) {
    command_line::words_for<type> words;
    for (const auto& each : detail::enumerators<type>) words.emplace_back(each.word, each.value);
    line.choice(word, value, words, help);
  } else if constexpr (std::same_as<Value, std::string>) {
    line.option(word, placeholder("FILE"), value, help);
  } else {
    line.option(word, placeholder("NAME,..."), "", help,
                [&value](const std::string& text) { return add_names(text, value); });
  }
}

/// Whether declare_value() takes a variable of this type.
template <class Value>
concept declarable = std::same_as<Value, bool> || number<typename value_inside<Value>::type> ||
                     (std::is_enum_v<typename value_inside<Value>::type> &&
                      !detail::enumerators<typename value_inside<Value>::type>.empty()) ||
                     std::same_as<Value, std::string> || std::same_as<Value, std::vector<std::string>>;

}  // namespace hogwild::cli
