// SPDX-License-Identifier: Apache-2.0
#include "data/singleton_order.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hogwild::detail {
namespace {

constexpr std::size_t rows_at_once = 1024;

/// Calls visit(entry) for the entries of a part of the rows, in their order.
template <class Visit>
void for_entries(parsed_text& text, std::span<const row_place> order, std::size_t part, const Visit& visit) {
  const std::size_t last = std::min((part + 1) * rows_at_once, order.size());
  for (std::size_t r = part * rows_at_once; r < last; ++r) {
    row_block& block = text.blocks[order[r].block];
    const std::uint32_t row = order[r].row, end = block.row_end[row];
    for (std::uint32_t k = row == 0 ? 0 : block.row_end[row - 1]; k < end; ++k) visit(block.index[k]);
  }
}

}  // namespace

void singleton_order::number(parsed_text& text, std::span<const row_place> order, std::span<std::uint32_t> original,
                             std::span<std::uint32_t> position) {
  const auto position_of = [&](std::uint32_t index) { return position.empty() ? index : position[index]; };
  const std::size_t parts = (order.size() + rows_at_once - 1) / rows_at_once;
  std::vector<std::uint32_t> begin(parts + 1, 0);
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    for_entries(text, order, part, [&](std::uint32_t index) { begin[part + 1] += position_of(index) >= first_; });
  });
  begin[0] = next_;
  for (std::size_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    std::uint32_t next = begin[part];
    for_entries(text, order, part, [&](std::uint32_t& index) {
      const std::uint32_t at = position_of(index);
      if (at < first_) return;
      original[next] = before_[at - first_];
      if (position.empty()) index = next;
      ++next;
    });
  });
  for (std::uint32_t r = next_; !position.empty() && r < begin[parts]; ++r)
    position[original[r] - text.first_number] = r;
  next_ = begin[parts];
}

}  // namespace hogwild::detail
