// SPDX-License-Identifier: Apache-2.0
#include "name_numbers.hpp"

#include <algorithm>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {

name_numbers::name_numbers(std::span<const std::string> known, std::uint32_t largest, std::string too_many)
    : next_(static_cast<std::uint32_t>(known.size())), largest_(largest), too_many_(std::move(too_many)) {
  numbers_.max_load_factor(0.5f);  // each node on the way to a name is fetched from memory
  for (std::uint32_t k = 0; k < known.size(); ++k) numbers_.emplace(known[k], k);
}

name_numbers::numbered name_numbers::entry_of(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return {found->first, found->second};
  // If another thread inserts the same name first, this number stays unused.
  const std::uint32_t number = next_.fetch_add(1);
  if (number > largest_) throw resource_error(too_many_);
  const auto made = numbers_.emplace(std::string(name), number).first;
  return {made->first, made->second};
}

std::optional<std::uint32_t> name_numbers::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint32_t> name_numbers::settle(std::vector<std::string>& names,
                                                const std::function<bool(std::uint32_t number)>& keeps) const {
  const auto known = static_cast<std::uint32_t>(names.size());
  std::vector<std::pair<std::string_view, std::uint32_t>> found;
  for (const auto& [name, number] : numbers_)
    if (number >= known) found.emplace_back(name, number);
  std::ranges::sort(found);
  std::vector<std::uint32_t> settled(next_.load(), dropped);
  for (std::uint32_t k = 0; k < known; ++k) settled[k] = k;
  for (const auto& [name, number] : found) {
    if (keeps && !keeps(number)) continue;
    settled[number] = static_cast<std::uint32_t>(names.size());
    names.emplace_back(name);
  }
  return settled;
}

}  // namespace hogwild::detail
