// SPDX-License-Identifier: Apache-2.0
#include "name_numbers.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {
name_numbers::slot& name_numbers::table::slot_of(std::string_view name, std::uint32_t hash) {
  for (std::size_t at = hash;; ++at) {
    slot& here = slots[at & (slots.size() - 1)];
    if (here.is_free() || (here.hash == hash && here.name == name)) return here;
  }
}

std::size_t name_numbers::table::make_room() {
  if (4 * (names + 1) <= 3 * slots.size()) return 0;
  std::vector<slot> before(std::max<std::size_t>(16, 2 * slots.size()));
  before.swap(slots);
  for (slot& each : before) {
    if (each.is_free()) continue;
    std::size_t at = each.hash;
    while (!slots[at & (slots.size() - 1)].is_free()) ++at;
    slots[at & (slots.size() - 1)] = std::move(each);
  }
  return (slots.size() - before.size()) * sizeof(slot);
}

name_numbers::name_numbers(std::span<const std::string> known, std::uint32_t largest, std::string too_many)
    : next_(static_cast<std::uint32_t>(known.size())), largest_(largest), too_many_(std::move(too_many)) {
  for (std::uint32_t k = 0; k < known.size(); ++k) number_of(known[k], hash_of(known[k]), [k] { return k; });
}

std::uint32_t name_numbers::number_of(std::string_view name, std::uint64_t hash) {
  return number_of(name, hash, [this] {
    const std::uint32_t number = next_.fetch_add(1);
    if (number > largest_) throw resource_error(too_many_);
    return number;
  });
}

std::uint32_t name_numbers::number_of(std::string_view name, std::uint64_t hash, const auto& next) {
  table& names = table_of(hash);
  const tbb::spin_mutex::scoped_lock lock(names.mutex);
  if (const std::size_t bytes = names.make_room(); bytes > 0) {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    known_slots& known = known_[hash % known_.size()];
    known.first.store(names.slots.data(), std::memory_order_relaxed);
    known.last.store(names.slots.size() - 1, std::memory_order_relaxed);
  }
  slot& found = names.slot_of(name, upper_half(hash));
  if (found.is_free()) {
    found = {std::string(name), upper_half(hash), next()};
    ++names.names;
    if (name.size() > std::string().capacity()) bytes_.fetch_add(name.size() + 1, std::memory_order_relaxed);
  }
  return found.number;
}

std::optional<std::uint32_t> name_numbers::find(std::string_view name, std::uint64_t hash) const {
  table& names = table_of(hash);
  if (names.slots.empty()) return std::nullopt;
  const slot& found = names.slot_of(name, upper_half(hash));
  return found.is_free() ? std::nullopt : std::optional(found.number);
}

std::vector<std::uint32_t> name_numbers::settle(std::vector<std::string>& names,
                                                const std::function<bool(std::uint32_t number)>& keeps) {
  const auto known = static_cast<std::uint32_t>(names.size());
  std::vector<std::pair<std::string, std::uint32_t>> found;
  found.reserve(next_.load() - known);
  for (table& each : tables_)
    for (slot& one : std::exchange(each.slots, {}))
      if (!one.is_free() && one.number >= known && (!keeps || keeps(one.number)))
        found.emplace_back(std::move(one.name), one.number);
  tbb::parallel_sort(found.begin(), found.end());
  std::vector<std::uint32_t> settled(next_.load(), dropped);
  for (std::uint32_t k = 0; k < known; ++k) settled[k] = k;
  names.reserve(known + found.size());
  for (auto& [name, number] : found) {
    settled[number] = static_cast<std::uint32_t>(names.size());
    names.push_back(std::move(name));
  }
  return settled;
}

}  // namespace hogwild::detail
