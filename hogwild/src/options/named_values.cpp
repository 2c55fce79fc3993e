// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/options/named_values.hpp>

#include <algorithm>
#include <cstddef>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild::detail {

namespace {

std::string told(const std::string& value) {
  return value.empty() ? "not given" : value;
}

/// Longer lists are shortened.
constexpr std::size_t longest_list = 120;

}  // namespace

std::string shortened(const std::string& text) {
  if (text.size() <= longest_list) return text;
  return text.substr(0, longest_list) + "... (checksum " + std::to_string(checksum(std::as_bytes(std::span(text)))) +
         ")";
}

std::string text_of_numbers(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + to_text(number);
  return shortened(text);
}

std::string joined(std::span<const named_value> all) {
  std::string text;
  for (const named_value& one : all) text += one.name + '\0' + one.value + '\0';
  return text;
}

std::vector<named_value> taken_apart(const std::string& text) {
  std::vector<named_value> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name = text.find('\0', at), value = name == text.npos ? name : text.find('\0', name + 1);
    if (value == text.npos) {
      all.push_back({text.substr(at), ""});
      break;
    }
    all.push_back({text.substr(at, name - at), text.substr(name + 1, value - name - 1)});
    at = value + 1;
  }
  return all;
}

std::optional<value_difference> first_difference(std::span<const named_value> mine,
                                                 std::span<const named_value> other) {
  for (std::size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
    const named_value none, &here = i < mine.size() ? mine[i] : none, &there = i < other.size() ? other[i] : none;
    if (here.name == there.name && here.value == there.value) continue;
    // One of the two lists lacks an entry: it goes on with the next name.
    const bool lacks = here.name != there.name;
    const bool is_there = lacks && i < other.size() &&
                          (i >= mine.size() || std::ranges::find(mine, there.name, &named_value::name) == mine.end());
    const named_value& named = is_there ? there : here;
    return value_difference{i, named.name, told(lacks && is_there ? "" : here.value),
                            told(lacks && !is_there ? "" : there.value), named.code};
  }
  return std::nullopt;
}

}  // namespace hogwild::detail
