// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/column_parts.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "data/dataset_mapping.hpp"

namespace hogwild {

column_parts parts_of(const sparse_view& rows) {
  const auto* const file = dynamic_cast<const detail::dataset_mapping*>(rows.source);
  return file == nullptr ? column_parts{} : file->parts();
}

// How many parts there are, whether they have weights, the places, the numbers and the weights, in halves of words.
std::vector<std::uint64_t> detail::encode_parts(const column_parts& parts) {
  std::vector<std::uint32_t> all{static_cast<std::uint32_t>(parts.parts), parts.weight.empty() ? 0u : 1u};
  all.insert(all.end(), parts.start.begin(), parts.start.end());
  all.insert(all.end(), parts.number.begin(), parts.number.end());
  for (const float weight : parts.weight) all.push_back(std::bit_cast<std::uint32_t>(weight));
  std::vector<std::uint64_t> words((all.size() + 1) / 2);
  std::memcpy(words.data(), all.data(), all.size() * sizeof(std::uint32_t));
  return words;
}

std::optional<column_parts> detail::decode_parts(std::span<const std::uint64_t> words, std::size_t columns) {
  const std::span all(reinterpret_cast<const std::uint32_t*>(words.data()), 2 * words.size());
  if (all.size() < columns + 3 || all[1] > 1) return std::nullopt;
  const std::span<const std::uint32_t> start = all.subspan(2, columns + 1), rest = all.subspan(columns + 3);
  if (start.front() != 0 || !std::ranges::is_sorted(start)) return std::nullopt;
  const std::size_t count = start.back(), needed = count * (1 + all[1]);
  if (needed > rest.size() || rest.size() - needed > 1) return std::nullopt;
  const std::span weights(reinterpret_cast<const float*>(rest.data() + count), count * all[1]);
  const column_parts made{.parts = all[0], .start = start, .number = rest.first(count), .weight = weights};
  if (std::ranges::any_of(made.number, [&](std::uint32_t n) { return n >= made.parts; }) ||
      !std::ranges::all_of(weights, [](float w) { return std::isfinite(w); }))
    return std::nullopt;
  return made;
}

}  // namespace hogwild
