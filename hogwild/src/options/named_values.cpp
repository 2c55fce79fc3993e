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

/// The value of the entry of this name; empty if the list has none.
std::string value_in(std::span<const named_value> all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &named_value::name);
  return found == all.end() ? std::string() : found->value;
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
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::string value = value_in(other, mine[i].name);
    if (value == mine[i].value || value == any_value || mine[i].value == any_value) continue;
    return value_difference{i, mine[i].name, told(mine[i].value), told(value), mine[i].code};
  }
  const auto lacking = std::ranges::find_if(other, [&](const named_value& one) {
    return std::ranges::find(mine, one.name, &named_value::name) == mine.end();
  });
  if (lacking == other.end()) return std::nullopt;
  return value_difference{mine.size(), lacking->name, told(""), told(lacking->value), lacking->code};
}

}  // namespace hogwild::detail
