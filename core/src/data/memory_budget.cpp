// SPDX-License-Identifier: Apache-2.0
#include "data/memory_budget.hpp"

#include <algorithm>
#include <limits>

#include "data/entry_piece.hpp"

namespace hogwild::detail {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t entry_bytes = 8;

/// The memory for a block being processed: its text, and the entries read from it.
constexpr std::size_t parsed_bytes = 3 * mebibyte;

/// Numbers and counts of columns: as found, as reordered by singletons, and in the file.
constexpr std::uint64_t written_column_bytes = 8 + 4 + 8;

}  // namespace

std::string in_mebibytes(std::uint64_t bytes) {
  return std::to_string((bytes + mebibyte - 1) / mebibyte) + " MiB";
}

std::size_t memory_budget::blocks_in_flight(std::size_t memory, std::size_t threads) {
  return std::clamp<std::size_t>(memory / 8 / parsed_bytes, 1, 4 * threads);
}

std::size_t memory_budget::piece_entries(std::size_t memory, std::size_t threads) {
  // Each thread needs two pieces: one that it fills, and one that blocks in progress still use.
  return std::min(memory / 8 / (2 * threads) / entry_bytes, entry_piece::usual);
}

std::optional<range_budget> divide_memory(std::size_t memory, const text_sizes& sizes, std::size_t threads) {
  constexpr std::uint64_t least_chunk = 16384, most_chunk = 262144;
  if (sizes.table_bytes + 16 * sizes.columns > memory) return std::nullopt;

  // While ranges are written.
  const std::uint64_t start_bytes = sizes.entries <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
  const std::uint64_t list_bytes = sizes.listed > 0 ? 4 * (sizes.rows + sizes.listed) : 0;
  const std::uint64_t beside =
      written_column_bytes * sizes.columns + 4 * sizes.singletons + (start_bytes + 3) * sizes.rows + list_bytes;
  if (beside > memory) return std::nullopt;
  // Rows as read and mapped; places, ends, labels and order. A tenth is left for ranges with longer rows.
  const std::uint64_t row_bytes = 2 * entry_bytes * (sizes.entries / sizes.rows + 1) + 44;
  const std::uint64_t block = row_bytes * sizes.rows_per_block;
  const std::uint64_t blocks = (memory - beside) / 10 * 9 / block;
  if (blocks == 0) return std::nullopt;
  range_budget budget{.rows = std::min(blocks * sizes.rows_per_block, sizes.rows)};

  // While rows are distributed among the ranges.
  const std::uint64_t ranges = (sizes.rows + budget.rows - 1) / budget.rows;
  const std::uint64_t standing = sizes.table_bytes + 8 * sizes.columns + (sizes.shuffled ? 4 * sizes.rows : 0);
  if (standing > memory) return std::nullopt;
  const std::uint64_t a_thread = sizes.block_bytes + ranges * least_chunk;
  budget.threads = std::min<std::uint64_t>(threads, (memory - standing) / a_thread);
  if (budget.threads == 0) return std::nullopt;
  const std::uint64_t chunk = ((memory - standing) / budget.threads - sizes.block_bytes) / ranges;
  budget.chunk_bytes = std::min(chunk, most_chunk) / 2;  // vectors may have twice the capacity
  return budget;
}

std::size_t least_memory(const text_sizes& sizes, std::size_t threads) {
  std::size_t below = 0, enough = memory_budget::least / mebibyte;
  while (!divide_memory(enough * mebibyte, sizes, threads)) below = enough, enough *= 2;
  while (enough - below > 1) {
    const std::size_t middle = below + (enough - below) / 2;
    (divide_memory(middle * mebibyte, sizes, threads) ? enough : below) = middle;
  }
  return enough * mebibyte;
}

}  // namespace hogwild::detail
