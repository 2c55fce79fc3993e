// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/options/named_values.hpp>

#include <algorithm>
#include <cstddef>

namespace hogwild::detail {

namespace {

std::string told(const std::string& value) {
  return value.empty() ? "not given" : value;
}

}  // namespace

std::string joined(std::span<const named_value> all) {
  std::string text;
  for (const named_value& one : all) text += one.name + '\0' + one.value + '\0';
  return text;
}

std::vector<named_value> taken_apart(const std::string& text) {
  std::vector<named_value> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name = text.find('\0', at), value = text.find('\0', name + 1);
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
