// SPDX-License-Identifier: Apache-2.0
#include "data/row_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "data/packed_numbers.hpp"

namespace hogwild::detail {

row_table::row_table(const cache_header& sizes) : rows_(sizes.rows) {
  if (sizes.nonzeros <= std::numeric_limits<std::uint32_t>::max())
    start32_ = std::make_unique_for_overwrite<std::uint32_t[]>(rows_ + 1);
  else
    start64_ = std::make_unique_for_overwrite<std::uint64_t[]>(rows_ + 1);
  if (sizes.labels_coded()) code_ = std::make_unique_for_overwrite<std::uint8_t[]>(rows_);
}

std::optional<row_table> row_table::unpack(const cache_arrays& file) {
  const cache_header& header = file.header;
  row_table table(header);
  const bool rows_hold = table.start32_ != nullptr
                             ? table.unpack_lengths(file.row_length, header.nonzeros, table.start32_.get())
                             : table.unpack_lengths(file.row_length, header.nonzeros, table.start64_.get());
  if (!rows_hold || (table.code_ != nullptr && !table.unpack_codes(file.label_code, header.label_values)))
    return std::nullopt;
  if (header.has_lists() && !table.unpack_lists(file.label_list, header.label_values)) return std::nullopt;
  return table;
}

row_starts row_table::starts() const {
  if (start32_ != nullptr) return std::span<const std::uint32_t>(start32_.get(), rows_ + 1);
  if (start64_ != nullptr) return std::span<const std::uint64_t>(start64_.get(), rows_ + 1);
  return {};
}

std::vector<std::uint64_t> row_table::pack_lengths() const {
  number_packer packer;
  const row_starts start = starts();
  for (std::size_t r = 0; r < rows_; ++r) packer.add(start[r + 1] - start[r]);
  return std::move(packer).finish();
}

std::vector<std::uint64_t> row_table::pack_codes() const {
  number_packer packer;
  for (const std::uint8_t code : codes()) packer.add(code);
  return std::move(packer).finish();
}

std::vector<std::uint64_t> row_table::pack_lists(std::uint64_t labels) const {
  number_packer packer;
  std::uint64_t empty = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::uint32_t k = lists_.start[r]; k < lists_.start[r + 1]; ++k)
      packer.add(2 * std::uint64_t{lists_.code[k]} + (k + 1 == lists_.start[r + 1] ? 1 : 0));
    if (lists_.start[r] < lists_.start[r + 1]) continue;
    packer.add(2 * labels + 1);
    ++empty;
  }
  std::vector<std::uint64_t> words = std::move(packer).finish();
  words.insert(words.begin(), lists_.start.back() + empty);
  return words;
}

template <class Start>
bool row_table::unpack_lengths(std::span<const std::byte> packed, std::uint64_t nonzeros, Start* start) const {
  std::uint64_t place = 0;
  const bool possible = unpack_numbers(packed, rows_, [&](std::size_t first, std::span<const std::uint64_t> lengths) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      start[first + k] = static_cast<Start>(place);
      if (lengths[k] > nonzeros - place) return false;
      place += lengths[k];
    }
    return true;
  });
  start[rows_] = static_cast<Start>(place);
  return possible && place == nonzeros;
}

bool row_table::unpack_codes(std::span<const std::byte> packed, std::uint64_t labels) const {
  return unpack_numbers(packed, rows_, [&](std::size_t first, std::span<const std::uint64_t> codes) {
    std::uint64_t most = 0;
    for (std::size_t k = 0; k < codes.size(); ++k) {
      most = std::max(most, codes[k]);
      code_[first + k] = static_cast<std::uint8_t>(codes[k]);
    }
    return most < labels;
  });
}

/// Each row has at least one label, and they ascend.
bool row_table::unpack_lists(std::span<const std::byte> packed, std::uint64_t labels) {
  std::uint64_t count = 0;
  if (packed.size() < sizeof count) return false;
  std::memcpy(&count, packed.data(), sizeof count);
  packed = packed.subspan(sizeof count);
  if (count < rows_ || count > std::min<std::uint64_t>(most_packed(packed.size()), 0xffffffffu)) return false;
  lists_.start.reserve(rows_ + 1);
  lists_.code.reserve(count);
  std::uint64_t least = 0;
  const bool possible = unpack_numbers(packed, count, [&](std::size_t, std::span<const std::uint64_t> numbers) {
    for (const std::uint64_t number : numbers) {
      const std::uint64_t code = number / 2;
      if (number == 2 * labels + 1 && least == 0 && labels > 0) {
        lists_.start.push_back(static_cast<std::uint32_t>(lists_.code.size()));
        continue;
      }
      if (code < least || code >= labels) return false;
      lists_.code.push_back(static_cast<std::uint32_t>(code));
      least = number % 2 == 0 ? code + 1 : 0;
      if (number % 2 == 1) lists_.start.push_back(static_cast<std::uint32_t>(lists_.code.size()));
    }
    return true;
  });
  pad_lists();
  return possible && least == 0 && lists_.start.size() == rows_ + 1;
}

}  // namespace hogwild::detail
