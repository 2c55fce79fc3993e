// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include <hogwild/detail/data/sparse_view.hpp>

#include "data/row_format.hpp"

namespace hogwild::detail {

// One file: a header, then sections, each on a cache line of its own. Readers map the whole of it.
//
//   0        header: source of the data, their sizes, the table of sections, a checksum over all this
//   64 k     a section: one array, as wide as its numbers need, or a table of packed numbers (packed_numbers.hpp)
//
// Index and value are read in the mapped file. Rows are packed: for each row its number of entries, and one code or
// several in the table of the labels that occur; a reader unpacks both when it opens the file (row_table.hpp). If
// indices are 16 bits wide, so that there are few columns, the columns' numbers and counts are packed as well. Entries
// are checked in blocks of `rows_per_block` rows: section `block_checksum` holds one sum for each block, over its parts
// of index and value (and of labels that are not codes). The other sections have their sum in the table.

inline constexpr std::size_t section_alignment = 64;
inline constexpr std::array<char, 8> cache_magic = {'H', 'W', 'C', 'A', 'C', 'H', 'E', '\n'};
inline constexpr std::uint32_t cache_version = 5;
inline constexpr std::uint32_t list_cache_version = 6;  ///< for rows with lists of labels; otherwise the same
inline constexpr std::uint32_t cache_byte_order = 0x01020304;

/// Stored in files: numbers are never reused, so that an old reader recognises what it does not know.
enum class section_kind : std::uint32_t {
  none = 0,
  index = 2,           ///< u32 or u16, one for each entry
  value = 3,           ///< f32 or f16, one for each entry
  label = 4,           ///< f64, one for each row; absent if labels are coded
  original = 5,        ///< u32, position -> number in the input; absent if packed
  degree = 6,          ///< u32, rows in which a position occurs; absent if packed
  block_checksum = 7,  ///< u64, one for each block of rows
  label_table = 8,     ///< f64, ascending; empty if labels are f64; followed by the result of label_spelling::encode()
  row_length = 9,      ///< packed, entries of each row
  label_code = 10,     ///< packed, into label_table, one a row
  original_step = 11,  ///< packed differences of original
  degree_step = 12,    ///< packed differences of degree
  label_list = 13,     ///< u64, their number, then packed: 2 * place in label_table, + 1 for a row's last one; an empty
                       ///< list is the place after the table, + 1
};

struct section_entry {
  section_kind kind = section_kind::none;
  std::uint32_t element_bytes = 0;
  std::uint64_t offset = 0;    ///< from the start of the file, on a cache line
  std::uint64_t bytes = 0;     ///< a multiple of element_bytes
  std::uint64_t checksum = 0;  ///< 0 for sections that are summed in blocks
};

struct cache_header {
  std::array<char, 8> magic = cache_magic;
  std::uint32_t version = cache_version;
  std::uint32_t byte_order = cache_byte_order;
  std::uint64_t source_bytes = 0;  ///< with source_times and options: the key
  std::uint64_t source_times = 0;  ///< source_stamp::times()
  std::uint64_t options = 0;       ///< digest of the options for reading the source
  std::uint64_t file_bytes = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t first_singleton = 0;  ///< columns from here on occur in a single row, last in it; `columns`: unknown
  std::uint64_t unknown_entries = 0;
  std::uint32_t rows_per_block = 1;
  input_format kind = input_format::of_program;
  std::uint8_t numbered = 0;           ///< 1: columns are those of another dataset, in its order
  std::uint8_t stated = 0;             ///< 1: the label texts hold stated_numbers
  std::uint32_t label_values = 0;      ///< entries of label_table; 0: labels are f64; at most 256 without lists
  std::uint32_t label_text_words = 0;  ///< 64-bit words that follow them: the spelling of labels (label_spelling.hpp),
                                       ///< for tables first the schema: its bytes, then these in whole words;
                                       ///< then stated_numbers::encode(), if there are any; for corpora, and for
                                       ///< pairs with features, behind these instead the parts of columns
                                       ///< (column_parts.hpp), or none
  std::uint8_t index_bytes = 4;        ///< or 2: then columns are packed
  std::uint8_t value_bytes = 4;        ///< or 2
  std::uint8_t values_rounded = 0;     ///< 1: to half precision, by option
  std::uint8_t image_planes = 0;       ///< with the two below: for rows that are images; else 0
  std::uint16_t image_height = 0;
  std::uint16_t image_width = 0;
  std::array<section_entry, 8> sections{};
  std::uint64_t checksum = 0;  ///< over all bytes above

  bool labels_coded() const { return !has_lists() && label_values > 0; }
  bool has_lists() const { return version == list_cache_version; }
  bool has_schema() const { return kind == input_format::table && numbered == 0; }
  bool has_parts() const { return kind == input_format::corpus && label_text_words > 0; }
  bool columns_packed() const { return index_bytes == 2; }
  image_shape image() const { return {image_planes, image_height, image_width}; }
  /// Its numbers must be below 2^8, 2^16 and 2^16.
  void set_image(const image_shape& image) {
    image_planes = static_cast<std::uint8_t>(image.planes);
    image_height = static_cast<std::uint16_t>(image.height);
    image_width = static_cast<std::uint16_t>(image.width);
  }
  std::uint64_t blocks() const { return (rows + rows_per_block - 1) / rows_per_block; }
};
static_assert(std::is_trivially_copyable_v<cache_header> && std::has_unique_object_representations_v<cache_header>);
static_assert(sizeof(section_entry) == 32 && sizeof(cache_header) == 376);

std::uint64_t header_checksum(const cache_header& header);

/// Checks a file of `file_bytes` bytes that begins with `begin`. Returns an empty text if it has a header of this
/// version whose sections lie inside the file and have the right sizes; otherwise what is wrong, as the end of a
/// sentence "the cache ...".
std::string header_fault(std::span<const std::byte> begin, std::uint64_t file_bytes);
/// The same for the whole contents of a file.
inline std::string header_fault(std::span<const std::byte> file) {
  return header_fault(file, file.size());
}

/// The arrays of a file whose header has no fault. Their contents are unchecked: see cache_meaning.hpp. If an array can
/// have two widths, or be plain or packed, the form that the file does not have is empty.
struct cache_arrays {
  explicit cache_arrays(std::span<const std::byte> file);

  cache_header header;
  std::span<const std::uint32_t> index;
  std::span<const std::uint16_t> index16;
  std::span<const float> value;
  std::span<const half> value16;
  std::span<const double> label_table;
  std::span<const std::uint64_t> label_text;
  std::span<const std::uint32_t> original;
  std::span<const std::uint32_t> degree;
  std::span<const std::uint64_t> block_checksum;
  std::span<const std::byte> row_length, label_code, label_list, original_step, degree_step;  ///< packed

  // Not in the file in this form. A reader that unpacks them, or a writer, holds them in memory and sets them here.
  row_starts row_start;
  label_column label;  ///< set at once if labels are not codes

  /// The same arrays for the writer; `file` is the mapping from which this object was made.
  template <class T>
  static std::span<T> writable(std::span<const T> section) {
    return {const_cast<T*>(section.data()), section.size()};
  }
};

/// Checksum over the parts of block `block` in all arrays. `end` is the end of its last row, which is row_start of the
/// next block; it is passed separately so that neighbours may be written and summed at the same time. Its entries must
/// lie within index and value.
std::uint64_t block_sum(const cache_arrays& arrays, std::uint64_t block, std::uint64_t end);

/// Lays out all sections except the packed ones for the sizes in `header`, and fills in table and file size (not the
/// checksums).
void lay_out(cache_header& header);

/// Adds a section after all others. The header has room for all sections that a file can have.
section_entry& append_section(cache_header& header, section_kind kind, std::uint32_t element_bytes,
                              std::uint64_t bytes);

/// True for the sections that have their sum in the table.
bool is_summed_whole(section_kind kind);

}  // namespace hogwild::detail
