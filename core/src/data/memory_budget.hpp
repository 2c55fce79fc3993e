// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace hogwild::detail {

/// "512 MiB", rounded up.
std::string in_mebibytes(std::uint64_t bytes);

/// Divides the memory that parsing may take.
namespace memory_budget {

/// With less, the text of the blocks being parsed would already exceed it.
inline constexpr std::size_t least = std::size_t{16} << 20;

/// Whether this many rows can be held until they are written: entries, rows and their order, and the mapped file,
/// beside so many bytes of names.
constexpr bool holds(std::size_t memory, std::uint64_t rows, std::uint64_t entries, std::uint64_t names = 0) {
  return 16 * entries + 40 * rows + names <= memory;
}

/// Blocks of text held at once, and entries that a thread claims at a time: an eighth of the memory each.
std::size_t blocks_in_flight(std::size_t memory, std::size_t threads);
std::size_t piece_entries(std::size_t memory, std::size_t threads);

/// For the table of columns and names, while text is read.
constexpr std::size_t table_of(std::size_t memory) {
  return memory / 2;
}
constexpr std::size_t for_table(std::size_t bytes) {
  return 2 * bytes;
}

}  // namespace memory_budget

/// The sizes of a spilled text.
struct text_sizes {
  std::uint64_t rows = 0, entries = 0;
  std::uint64_t columns = 0, singletons = 0, table_bytes = 0;  ///< all columns; those in one row; the table
  std::uint64_t listed = 0;                                    ///< labels in lists
  std::uint64_t block_bytes = 0;                               ///< of the largest block of the text, once parsed
  bool shuffled = false;
  std::uint64_t rows_per_block = 1;
};

/// Ranges of rows that are written one after the other, and the memory to distribute rows among them.
struct range_budget {
  std::uint64_t rows = 0;       ///< in a range: whole blocks of the file
  std::size_t threads = 1;      ///< that distribute rows
  std::size_t chunk_bytes = 0;  ///< memory of each thread for each range
};

/// Nothing if the memory is too little.
std::optional<range_budget> divide_memory(std::size_t memory, const text_sizes& sizes, std::size_t threads);

/// The least memory with which divide_memory() works, in whole mebibytes.
std::size_t least_memory(const text_sizes& sizes, std::size_t threads);

}  // namespace hogwild::detail
