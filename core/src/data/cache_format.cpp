// SPDX-License-Identifier: Apache-2.0
#include "data/cache_format.hpp"

#include <algorithm>
#include <hogwild/detail/platform/checksum.hpp>
#include <vector>

#include "data/packed_numbers.hpp"

namespace hogwild::detail {
namespace {

struct section_shape {
  section_kind kind;
  std::uint32_t element_bytes;
  std::uint64_t count;
};

/// The sections whose length follows from the sizes.
std::vector<section_shape> shapes(const cache_header& header) {
  std::vector<section_shape> all = {
      {section_kind::index, header.index_bytes, header.nonzeros},
      {section_kind::value, header.value_bytes, header.nonzeros},
      {section_kind::block_checksum, 8, header.blocks()},
      {section_kind::label_table, 8, std::uint64_t{header.label_values} + header.label_text_words}};
  if (!header.labels_coded() && !header.has_lists()) all.push_back({section_kind::label, 8, header.rows});
  if (!header.columns_packed())
    all.insert(all.end(), {{section_kind::original, 4, header.columns}, {section_kind::degree, 4, header.columns}});
  return all;
}

/// The packed sections, and how many numbers each one holds.
std::vector<section_shape> packed_shapes(const cache_header& header) {
  std::vector<section_shape> all = {{section_kind::row_length, 8, header.rows}};
  if (header.labels_coded()) all.push_back({section_kind::label_code, 8, header.rows});
  if (header.has_lists()) all.push_back({section_kind::label_list, 8, header.rows});
  if (header.columns_packed())
    all.insert(all.end(),
               {{section_kind::original_step, 8, header.columns}, {section_kind::degree_step, 8, header.columns}});
  return all;
}

bool widths_possible(const cache_header& header) {
  const auto one_of = [](std::uint8_t bytes, std::uint8_t narrow, std::uint8_t wide) {
    return bytes == narrow || bytes == wide;
  };
  return one_of(header.index_bytes, 2, 4) && one_of(header.value_bytes, 2, 4) &&
         (header.has_lists() ? header.label_values <= header.file_bytes / 8 : header.label_values <= 256);
}

const section_entry* find_section(const cache_header& header, section_kind kind) {
  const auto* found = std::find_if(header.sections.begin(), header.sections.end(),
                                   [&](const section_entry& entry) { return entry.kind == kind; });
  return found == header.sections.end() ? nullptr : found;
}

bool section_lies_inside(const section_entry* entry, std::uint32_t element_bytes, std::uint64_t file_bytes) {
  return entry != nullptr && entry->element_bytes == element_bytes && entry->offset % section_alignment == 0 &&
         entry->offset >= sizeof(cache_header) && entry->offset <= file_bytes &&
         entry->bytes <= file_bytes - entry->offset && entry->bytes % element_bytes == 0;
}

bool sections_fit(const cache_header& header) {
  for (const section_shape& shape : shapes(header)) {
    const section_entry* const entry = find_section(header, shape.kind);
    if (!section_lies_inside(entry, shape.element_bytes, header.file_bytes)) return false;
    if (entry->bytes / shape.element_bytes != shape.count) return false;
  }
  for (const section_shape& shape : packed_shapes(header)) {
    const section_entry* const entry = find_section(header, shape.kind);
    if (!section_lies_inside(entry, shape.element_bytes, header.file_bytes)) return false;
    // So that a few bytes cannot ask for much memory.
    if (shape.count > most_packed(entry->bytes)) return false;
  }
  return true;
}

template <class T>
std::span<const T> section(std::span<const std::byte> file, const cache_header& header, section_kind kind) {
  const section_entry* const entry = find_section(header, kind);
  if (entry == nullptr) return {};
  return {reinterpret_cast<const T*>(file.data() + entry->offset), entry->bytes / sizeof(T)};
}

/// For a section with two possible widths, the elements if they have type T; empty if the file has the other width.
template <class T>
std::span<const T> section_of_width(std::span<const std::byte> file, const cache_header& header, section_kind kind,
                                    std::uint8_t bytes) {
  return bytes == sizeof(T) ? section<T>(file, header, kind) : std::span<const T>{};
}

/// Checksum of a part of a section with two possible widths.
template <class Narrow, class Wide>
std::uint64_t sum_of_part(std::span<const Narrow> narrow, std::span<const Wide> wide, std::uint64_t first,
                          std::uint64_t count) {
  return narrow.empty() ? checksum(wide.subspan(first, count)) : checksum(narrow.subspan(first, count));
}

}  // namespace

std::uint64_t header_checksum(const cache_header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(cache_header, checksum)));
}

std::string header_fault(std::span<const std::byte> begin, std::uint64_t file_bytes) {
  if (std::min<std::uint64_t>(begin.size(), file_bytes) < sizeof(cache_header)) return "is torn";
  cache_header header;
  std::memcpy(&header, begin.data(), sizeof header);
  if (header.magic != cache_magic) return "is damaged at its start or is no cache";
  if (header.byte_order != cache_byte_order) return "was made on a machine of another byte order";
  if (header.version != cache_version && header.version != list_cache_version)
    return "has version " + std::to_string(header.version) + ", not " + std::to_string(cache_version) + " or " +
           std::to_string(list_cache_version);
  if (header.checksum != header_checksum(header)) return "has a damaged header";
  if (header.file_bytes != file_bytes) return "is torn";
  // Sizes are checked first, so that no later product overflows: every row, column and entry occupies space in the
  // file.
  const bool possible = header.rows > 0 && header.rows <= most_packed(file_bytes) && header.nonzeros <= file_bytes &&
                        header.columns <= std::max<std::uint64_t>(file_bytes, 65536) && header.columns < 0xffffffffu &&
                        header.first_singleton <= header.columns && header.rows_per_block > 0 &&
                        header.rows_per_block <= header.rows;
  if (!possible) return "has impossible sizes";
  if (!widths_possible(header)) return "has impossible widths";
  if (header.image() != image_shape{} && header.image().size() == 0) return "has images of an impossible size";
  if (header.kind > last_input_format || header.numbered > 1 || header.stated > 1) return "has rows of an unknown kind";
  if (!sections_fit(header)) return "has a damaged section table";
  return {};
}

cache_arrays::cache_arrays(std::span<const std::byte> file) {
  std::memcpy(&header, file.data(), sizeof header);
  index = section_of_width<std::uint32_t>(file, header, section_kind::index, header.index_bytes);
  index16 = section_of_width<std::uint16_t>(file, header, section_kind::index, header.index_bytes);
  value = section_of_width<float>(file, header, section_kind::value, header.value_bytes);
  value16 = section_of_width<half>(file, header, section_kind::value, header.value_bytes);
  label_table = section<double>(file, header, section_kind::label_table).first(header.label_values);
  label_text = section<std::uint64_t>(file, header, section_kind::label_table).subspan(header.label_values);
  if (!header.labels_coded() && !header.has_lists()) label = section<double>(file, header, section_kind::label);
  original = section<std::uint32_t>(file, header, section_kind::original);
  degree = section<std::uint32_t>(file, header, section_kind::degree);
  block_checksum = section<std::uint64_t>(file, header, section_kind::block_checksum);
  row_length = section<std::byte>(file, header, section_kind::row_length);
  label_code = section<std::byte>(file, header, section_kind::label_code);
  label_list = section<std::byte>(file, header, section_kind::label_list);
  original_step = section<std::byte>(file, header, section_kind::original_step);
  degree_step = section<std::byte>(file, header, section_kind::degree_step);
}

std::uint64_t block_sum(const cache_arrays& arrays, std::uint64_t block, std::uint64_t end) {
  const std::uint64_t first = block * arrays.header.rows_per_block;
  const std::uint64_t rows = std::min<std::uint64_t>(arrays.header.rows_per_block, arrays.header.rows - first);
  const std::uint64_t begin = arrays.row_start[first], entries = end - begin;
  const std::span<const double> labels = arrays.label.numbers();
  const std::array<std::uint64_t, 6> parts = {block,
                                              begin,
                                              end,
                                              labels.empty() ? 0 : checksum(labels.subspan(first, rows)),
                                              sum_of_part(arrays.index16, arrays.index, begin, entries),
                                              sum_of_part(arrays.value16, arrays.value, begin, entries)};
  return checksum(std::span<const std::uint64_t>(parts));
}

void lay_out(cache_header& header) {
  header.sections = {};
  header.file_bytes = sizeof header;
  for (const section_shape& shape : shapes(header))
    append_section(header, shape.kind, shape.element_bytes, shape.count * shape.element_bytes);
}

section_entry& append_section(cache_header& header, section_kind kind, std::uint32_t element_bytes,
                              std::uint64_t bytes) {
  section_entry& entry = *std::ranges::find(header.sections, section_kind::none, &section_entry::kind);
  const std::uint64_t offset = (header.file_bytes + section_alignment - 1) / section_alignment * section_alignment;
  entry = {kind, element_bytes, offset, bytes, 0};
  header.file_bytes = offset + bytes;
  return entry;
}

bool is_summed_whole(section_kind kind) {
  return kind != section_kind::none && kind != section_kind::index && kind != section_kind::value &&
         kind != section_kind::label && kind != section_kind::block_checksum;
}

}  // namespace hogwild::detail
