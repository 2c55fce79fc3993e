// SPDX-License-Identifier: Apache-2.0
#include "cache_format.hpp"

#include <algorithm>
#include <limits>

#include "checksum.hpp"

namespace hogwild::detail {
namespace {

struct section_shape {
  section_kind kind;
  std::uint32_t element_bytes;
  std::uint64_t count;
};

std::array<section_shape, 8> shapes(const cache_header& header) {
  return {{{section_kind::row_start, header.row_start_bytes, header.rows + 1},
           {section_kind::label, header.label_values > 0 ? 1u : 8u, header.rows},
           {section_kind::index, header.index_bytes, header.nonzeros},
           {section_kind::value, header.value_bytes, header.nonzeros},
           {section_kind::original, header.original_bytes, header.columns},
           {section_kind::degree, header.degree_bytes, header.columns},
           {section_kind::block_checksum, 8, header.blocks()},
           {section_kind::label_table, 8, header.label_values}}};
}

bool widths_possible(const cache_header& header) {
  const auto one_of = [](std::uint8_t bytes, std::uint8_t narrow, std::uint8_t wide) {
    return bytes == narrow || bytes == wide;
  };
  return one_of(header.row_start_bytes, 4, 8) && one_of(header.index_bytes, 2, 4) && one_of(header.value_bytes, 2, 4) &&
         one_of(header.original_bytes, 2, 4) && one_of(header.degree_bytes, 2, 4) && header.label_values <= 256;
}

const section_entry* find_section(const cache_header& header, section_kind kind) {
  const auto* found = std::find_if(header.sections.begin(), header.sections.end(),
                                   [&](const section_entry& entry) { return entry.kind == kind; });
  return found == header.sections.end() ? nullptr : found;
}

bool section_fits(const section_entry* entry, const section_shape& shape, std::uint64_t file_bytes) {
  return entry != nullptr && entry->element_bytes == shape.element_bytes && entry->offset % cache_page == 0 &&
         entry->offset >= cache_page && entry->offset <= file_bytes && entry->bytes <= file_bytes - entry->offset &&
         entry->bytes % shape.element_bytes == 0 && entry->bytes / shape.element_bytes == shape.count;
}

template <class T>
std::span<const T> section(std::span<const std::byte> file, const cache_header& header, section_kind kind) {
  const section_entry* const entry = find_section(header, kind);
  return {reinterpret_cast<const T*>(file.data() + entry->offset), entry->bytes / sizeof(T)};
}

/// Of a section that comes in two widths, the part with elements of type T; empty where the file has the other.
template <class T>
std::span<const T> section_of_width(std::span<const std::byte> file, const cache_header& header, section_kind kind,
                                    std::uint8_t bytes) {
  return bytes == sizeof(T) ? section<T>(file, header, kind) : std::span<const T>{};
}

/// Sum over a part of a section that comes in two widths.
template <class Narrow, class Wide>
std::uint64_t sum_of_part(std::span<const Narrow> narrow, std::span<const Wide> wide, std::uint64_t first,
                          std::uint64_t count) {
  return narrow.empty() ? checksum(wide.subspan(first, count)) : checksum(narrow.subspan(first, count));
}

template <class T>
bool all_below(std::span<const T> numbers, std::uint64_t bound) {
  T largest = 0;
  for (const T n : numbers) largest = std::max(largest, n);
  return numbers.empty() || largest < bound;
}

}  // namespace

std::uint64_t header_checksum(const cache_header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(cache_header, checksum)));
}

std::string header_fault(std::span<const std::byte> file) {
  if (file.size() < cache_page) return "is torn";
  cache_header header;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != cache_magic) return "is damaged at its start or is no cache";
  if (header.byte_order != cache_byte_order) return "was made on a machine of another byte order";
  if (header.version != cache_version)
    return "has version " + std::to_string(header.version) + ", not " + std::to_string(cache_version);
  if (header.checksum != header_checksum(header)) return "has a damaged header";
  if (header.file_bytes != file.size()) return "is torn";
  // Sizes first, so that no later product overflows: every row and entry takes room in the file.
  const bool possible = header.rows > 0 && header.rows <= file.size() && header.nonzeros <= file.size() &&
                        header.columns <= file.size() && header.columns < 0xffffffffu && header.rows_per_block > 0 &&
                        header.rows_per_block <= header.rows;
  if (!possible) return "has impossible sizes";
  if (!widths_possible(header)) return "has impossible widths";
  for (const section_shape& shape : shapes(header))
    if (!section_fits(find_section(header, shape.kind), shape, header.file_bytes)) return "has a damaged section table";
  return {};
}

cache_arrays::cache_arrays(std::span<const std::byte> file) {
  std::memcpy(&header, file.data(), sizeof header);
  if (header.row_start_bytes == 4)
    row_start = section<std::uint32_t>(file, header, section_kind::row_start);
  else
    row_start = section<std::uint64_t>(file, header, section_kind::row_start);
  index = section_of_width<std::uint32_t>(file, header, section_kind::index, header.index_bytes);
  index16 = section_of_width<std::uint16_t>(file, header, section_kind::index, header.index_bytes);
  value = section_of_width<float>(file, header, section_kind::value, header.value_bytes);
  value16 = section_of_width<half>(file, header, section_kind::value, header.value_bytes);
  label_table = section<double>(file, header, section_kind::label_table);
  if (header.label_values > 0)
    label = {section<std::uint8_t>(file, header, section_kind::label), label_table};
  else
    label = section<double>(file, header, section_kind::label);
  original = section_of_width<std::uint32_t>(file, header, section_kind::original, header.original_bytes);
  original16 = section_of_width<std::uint16_t>(file, header, section_kind::original, header.original_bytes);
  degree = section_of_width<std::uint32_t>(file, header, section_kind::degree, header.degree_bytes);
  degree16 = section_of_width<std::uint16_t>(file, header, section_kind::degree, header.degree_bytes);
  block_checksum = section<std::uint64_t>(file, header, section_kind::block_checksum);
}

std::uint64_t block_sum(const cache_arrays& arrays, std::uint64_t block, std::uint64_t end) {
  const std::uint64_t first = block * arrays.header.rows_per_block;
  const std::uint64_t rows = std::min(arrays.header.rows_per_block, arrays.header.rows - first);
  const std::uint64_t begin = arrays.row_start[first], entries = end - begin;
  const std::array<std::uint64_t, 6> parts = {
      block,
      end,
      sum_of_part(arrays.row_start.narrow(), arrays.row_start.wide(), first, rows),
      sum_of_part(arrays.label.codes(), arrays.label.numbers(), first, rows),
      sum_of_part(arrays.index16, arrays.index, begin, entries),
      sum_of_part(arrays.value16, arrays.value, begin, entries)};
  return checksum(std::span<const std::uint64_t>(parts));
}

bool block_holds(const cache_arrays& arrays, std::uint64_t block) {
  const std::uint64_t first = block * arrays.header.rows_per_block;
  const std::uint64_t rows = std::min(arrays.header.rows_per_block, arrays.header.rows - first);
  const row_starts starts = arrays.row_start.subspan(first, rows + 1);
  if (!std::is_sorted(starts.begin(), starts.end()) || starts.back() > arrays.header.nonzeros) return false;
  if (first == 0 && starts.front() != 0) return false;
  if (first + rows == arrays.header.rows && starts.back() != arrays.header.nonzeros) return false;
  if (block_sum(arrays, block, starts.back()) != arrays.block_checksum[block]) return false;
  const std::uint64_t entries = starts.back() - starts.front();
  if (arrays.header.index_bytes == 2
          ? !all_below(arrays.index16.subspan(starts.front(), entries), arrays.header.columns)
          : !all_below(arrays.index.subspan(starts.front(), entries), arrays.header.columns))
    return false;
  return !arrays.label.coded() || all_below(arrays.label.codes().subspan(first, rows), arrays.header.label_values);
}

void lay_out(cache_header& header) {
  std::uint64_t offset = cache_page;
  std::size_t place = 0;
  for (const section_shape& shape : shapes(header)) {
    const std::uint64_t bytes = shape.count * shape.element_bytes;
    header.sections[place++] = {shape.kind, shape.element_bytes, offset, bytes, 0};
    offset = (offset + bytes + cache_page - 1) / cache_page * cache_page;
  }
  header.file_bytes = offset;
}

}  // namespace hogwild::detail
