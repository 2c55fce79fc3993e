// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include <hogwild/core/dataset.hpp>

namespace hogwild::detail {

// One file: a page of header, then sections, each on a page of its own. Readers map the whole of it.
//
//   0        header: what the data were made from, their sizes, the table of sections, a checksum over all this
//   4096 k   a section: one array; row r of the data is entries [row_start[r], row_start[r+1]) of index and value
//
// Numbers are as wide as they need to be; the header says how wide. Labels are numbers, or codes into a table of the
// numbers that occur. Rows are checked in blocks of `rows_per_block`: section `block_checksum` holds one sum a block,
// over its parts of row_start, label, index and value. The small sections carry their sum in the table.

inline constexpr std::size_t cache_page = 4096;
inline constexpr std::array<char, 8> cache_magic = {'H', 'W', 'C', 'A', 'C', 'H', 'E', '\n'};
inline constexpr std::uint32_t cache_version = 2;
inline constexpr std::uint32_t cache_byte_order = 0x01020304;

/// Numbers in files: never reused, so that an old reader can tell what it does not know.
enum class section_kind : std::uint32_t {
  none = 0,
  row_start = 1,       ///< u64 or u32, rows + 1
  index = 2,           ///< u32 or u16, one an entry
  value = 3,           ///< f32 or f16, one an entry
  label = 4,           ///< f64, or u8 into label_table, one a row
  original = 5,        ///< u32 or u16, rank -> number in the input
  degree = 6,          ///< u32 or u16, rows in which a rank occurs
  block_checksum = 7,  ///< u64, one a block of rows
  label_table = 8,     ///< f64, ascending; empty where labels are f64
};

struct section_entry {
  section_kind kind = section_kind::none;
  std::uint32_t element_bytes = 0;
  std::uint64_t offset = 0;    ///< from the start of the file, on a page
  std::uint64_t bytes = 0;     ///< a multiple of element_bytes
  std::uint64_t checksum = 0;  ///< of original, degree and label_table; 0 where blocks are summed
};

struct cache_header {
  std::array<char, 8> magic = cache_magic;
  std::uint32_t version = cache_version;
  std::uint32_t byte_order = cache_byte_order;
  std::uint64_t source_bytes = 0;  ///< with source_modified_ns and options: the key
  std::int64_t source_modified_ns = 0;
  std::uint64_t options = 0;  ///< digest of what the source was read with
  std::uint64_t file_bytes = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t unknown_entries = 0;
  std::uint64_t rows_per_block = 1;
  std::uint64_t label_values = 0;    ///< entries of label_table; 0: labels are f64
  std::uint8_t row_start_bytes = 8;  ///< or 4
  std::uint8_t index_bytes = 4;      ///< or 2
  std::uint8_t value_bytes = 4;      ///< or 2
  std::uint8_t original_bytes = 4;   ///< or 2
  std::uint8_t degree_bytes = 4;     ///< or 2
  std::uint8_t values_rounded = 0;   ///< 1: to half precision, by option
  std::array<std::uint8_t, 2> unused{};
  std::array<section_entry, 16> sections{};
  std::uint64_t checksum = 0;  ///< over all bytes above

  std::uint64_t blocks() const { return (rows + rows_per_block - 1) / rows_per_block; }
};
static_assert(std::is_trivially_copyable_v<cache_header> && std::has_unique_object_representations_v<cache_header>);
static_assert(sizeof(section_entry) == 32 && sizeof(cache_header) == 624 && sizeof(cache_header) <= cache_page);

std::uint64_t header_checksum(const cache_header& header);

/// Empty when `file` (its whole mapped contents) begins with a header of this version whose sections lie inside the
/// file and have the right sizes; otherwise what is wrong, as the end of the sentence "the cache ...".
std::string header_fault(std::span<const std::byte> file);

/// The arrays of a file whose header has no fault. They are unchecked: see block_holds. Of two widths the one that the
/// file does not have is empty.
struct cache_arrays {
  explicit cache_arrays(std::span<const std::byte> file);

  cache_header header;
  row_starts row_start;
  std::span<const std::uint32_t> index;
  std::span<const std::uint16_t> index16;
  std::span<const float> value;
  std::span<const half> value16;
  label_column label;
  std::span<const double> label_table;
  std::span<const std::uint32_t> original;
  std::span<const std::uint16_t> original16;
  std::span<const std::uint32_t> degree;
  std::span<const std::uint16_t> degree16;
  std::span<const std::uint64_t> block_checksum;

  /// The same arrays for the one who writes them; `file` is the mapping that this object was made from.
  template <class T>
  static std::span<T> writable(std::span<const T> section) {
    return {const_cast<T*>(section.data()), section.size()};
  }
};

/// Sum over the parts of block `block` in all arrays. `end` is where its last row ends: row_start of the next block,
/// given apart so that neighbours may be written and summed at the same time. Its entries must lie within index and
/// value.
std::uint64_t block_sum(const cache_arrays& arrays, std::uint64_t block, std::uint64_t end);

/// True when the block's checksum holds, its rows ascend inside the arrays, its columns are below the count and its
/// label codes inside the table.
bool block_holds(const cache_arrays& arrays, std::uint64_t block);

/// Lays out the sections for the sizes in `header` and fills in table and file size (not the checksums).
void lay_out(cache_header& header);

}  // namespace hogwild::detail
