// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/column_parts.hpp>

#include <algorithm>
#include <cstring>

#include "data/dataset_mapping.hpp"

namespace hogwild {

column_parts parts_of(const sparse_view& rows) {
  const auto* const file = dynamic_cast<const detail::dataset_mapping*>(rows.source);
  return file == nullptr ? column_parts{} : file->parts();
}

// How many parts there are, the places, and the numbers, in halves of words.
std::vector<std::uint64_t> detail::encode_parts(const column_parts& parts) {
  std::vector<std::uint32_t> all{static_cast<std::uint32_t>(parts.parts)};
  all.insert(all.end(), parts.start.begin(), parts.start.end());
  all.insert(all.end(), parts.number.begin(), parts.number.end());
  std::vector<std::uint64_t> words((all.size() + 1) / 2);
  std::memcpy(words.data(), all.data(), all.size() * sizeof(std::uint32_t));
  return words;
}

std::optional<column_parts> detail::decode_parts(std::span<const std::uint64_t> words, std::size_t columns) {
  const std::span all(reinterpret_cast<const std::uint32_t*>(words.data()), 2 * words.size());
  if (all.size() < columns + 2) return std::nullopt;
  column_parts made{.parts = all[0], .start = all.subspan(1, columns + 1), .number = all.subspan(columns + 2)};
  if (made.start.front() != 0 || !std::ranges::is_sorted(made.start) || made.start.back() > made.number.size() ||
      made.number.size() - made.start.back() > 1)
    return std::nullopt;
  made.number = made.number.first(made.start.back());
  if (std::ranges::any_of(made.number, [&](std::uint32_t n) { return n >= made.parts; })) return std::nullopt;
  return made;
}

}  // namespace hogwild
