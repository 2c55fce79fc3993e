// SPDX-License-Identifier: Apache-2.0
#include "data/column_order.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace hogwild::detail {
namespace {

/// A sort key of a column: more popular columns come first, and of equally popular ones the smaller.
std::uint64_t order_key(std::uint32_t count, std::uint32_t column) {
  return std::uint64_t{~count} << 32 | column;
}
std::uint32_t count_of(std::uint64_t key) {
  return ~static_cast<std::uint32_t>(key >> 32);
}
std::uint32_t column_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}

column_order order_of(std::vector<std::uint64_t>& keys, std::uint32_t first_number, bool by_kind) {
  const auto odd =
      by_kind ? std::partition(keys.begin(), keys.end(), [](std::uint64_t key) { return column_of(key) % 2 == 0; })
              : keys.end();
  tbb::parallel_sort(keys.begin(), odd);
  tbb::parallel_sort(odd, keys.end());
  column_order columns;
  columns.original.resize(keys.size());
  columns.degree.resize(keys.size());
  for (std::size_t r = 0; r < keys.size(); ++r) {
    columns.original[r] = column_of(keys[r]) + first_number;
    columns.degree[r] = count_of(keys[r]);
  }
  return columns;
}

std::size_t block_entries(const row_block& block) {
  return block.row_end.back();
}

/// Counts in tables over all indices, one table for each of a few parts of the text.
std::vector<std::uint32_t> count_dense(const parsed_text& text, std::size_t columns) {
  const std::size_t affordable = (4 * text.nonzeros + columns) / columns;
  const std::size_t parts =
      std::min({affordable, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), text.blocks.size()});
  std::vector<std::vector<std::uint32_t>> counts(parts);
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    counts[part].assign(columns, 0);
    const std::size_t first = text.blocks.size() * part / parts, last = text.blocks.size() * (part + 1) / parts;
    for (std::size_t b = first; b < last; ++b) {
      const row_block& block = text.blocks[b];
      for (std::size_t k = 0; k < block_entries(block); ++k) ++counts[part][block.index[k]];
    }
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t j = 0; j < columns; ++j) counts[0][j] += counts[part][j];
  return std::move(counts[0]);
}

column_order order_dense(const parsed_text& text, bool by_kind) {
  const std::vector<std::uint32_t> counts = count_dense(text, text.columns);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t j = 0; j < counts.size(); ++j)
    if (counts[j] > 0) keys.push_back(order_key(counts[j], j));
  column_order columns = order_of(keys, text.first_number, by_kind);
  columns.position.resize(text.columns);
  for (std::uint32_t r = 0; r < keys.size(); ++r) columns.position[column_of(keys[r])] = r;
  return columns;
}

/// Counts in hash tables, one for each of a few parts of the text; each entry then looks up its position.
column_order order_sparse(parsed_text& text, bool by_kind) {
  const std::size_t parts =
      std::min(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), text.blocks.size());
  std::vector<column_table> counts(parts);
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    const std::size_t first = text.blocks.size() * part / parts, last = text.blocks.size() * (part + 1) / parts;
    for (std::size_t b = first; b < last; ++b)
      counts[part].count({text.blocks[b].index, block_entries(text.blocks[b])});
  });
  for (std::size_t part = 1; part < parts; ++part) {
    counts[0].add(counts[part]);
    counts[part] = column_table();
  }
  column_order columns = order_columns(counts[0], text.first_number, by_kind);
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    row_block& block = text.blocks[b];
    own_entries(block);
    counts[0].look_up({block.index, block_entries(block)});
  });
  return columns;
}

constexpr std::size_t rows_at_once = 1024;

/// Counts the entries of each row for which own(index) holds.
template <class Own>
void count_singletons(parsed_text& text, const Own& own) {
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    row_block& block = text.blocks[b];
    block.singletons.resize(block.row_end.size());
    std::uint32_t k = 0;
    for (std::size_t r = 0; r < block.row_end.size(); ++r) {
      std::uint32_t count = 0;
      for (; k < block.row_end[r]; ++k) count += own(block.index[k]);
      block.singletons[r] = count;
    }
  });
}

}  // namespace

column_order order_columns(parsed_text& text, bool by_kind) {
  const bool dense = text.columns > 0 && text.columns <= 4 * text.nonzeros + 65536;
  return dense ? order_dense(text, by_kind) : order_sparse(text, by_kind);
}

column_order order_columns(column_table& counts, std::uint32_t first_number, bool by_kind) {
  std::vector<std::uint64_t> keys;
  std::size_t columns = 0;
  counts.for_each([&](std::uint32_t, std::uint32_t) { ++columns; });
  keys.reserve(columns);
  counts.for_each([&](std::uint32_t column, std::uint32_t count) { keys.push_back(order_key(count, column)); });
  column_order order = order_of(keys, first_number, by_kind);
  for (std::uint32_t r = 0; r < keys.size(); ++r) counts[column_of(keys[r])] = r;
  return order;
}

std::size_t renumber(row_block& block, const column_numbering& numbering, std::uint32_t first_number,
                     std::vector<std::uint32_t>& degree) {
  own_entries(block);
  std::uint32_t kept = 0, k = 0;
  for (std::uint32_t& end : block.row_end) {
    for (; k < end; ++k) {
      const std::uint32_t position = numbering.position(block.index[k] + first_number);
      if (position == column_numbering::unknown) continue;
      block.index[kept] = position;
      block.value[kept++] = block.value[k];
      std::atomic_ref(degree[position]).fetch_add(1, std::memory_order_relaxed);
    }
    end = kept;
  }
  return k - kept;
}

column_order apply_numbering(parsed_text& text, const column_numbering& numbering, std::size_t& dropped) {
  column_order columns;
  columns.original.assign(numbering.original().begin(), numbering.original().end());
  columns.degree.resize(columns.original.size());
  std::atomic<std::size_t> total{0};
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    total += renumber(text.blocks[b], numbering, text.first_number, columns.degree);
  });
  dropped = total;
  text.nonzeros -= dropped;
  return columns;
}

void singleton_order::number(parsed_text& text, std::span<const row_place> order, std::span<std::uint32_t> original,
                             std::span<std::uint32_t> position) {
  const auto position_of = [&](std::uint32_t index) { return position.empty() ? index : position[index]; };
  // In the order of the text, which is that of memory; few rows are then visited in the other order.
  count_singletons(text, [&](std::uint32_t index) { return position_of(index) >= first_; });
  const auto rows_of = [&](std::size_t part) {
    return order.subspan(part * rows_at_once, std::min(rows_at_once, order.size() - part * rows_at_once));
  };
  const std::size_t parts = (order.size() + rows_at_once - 1) / rows_at_once;
  std::vector<std::uint32_t> begin(parts + 1, 0);
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    for (const auto [b, r] : rows_of(part)) begin[part + 1] += text.blocks[b].singletons[r];
  });
  begin[0] = next_;
  for (std::size_t part = 0; part < parts; ++part) begin[part + 1] += begin[part];
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    std::uint32_t next = begin[part];
    for (const auto [b, r] : rows_of(part)) {
      row_block& block = text.blocks[b];
      const std::uint32_t last = next + block.singletons[r];
      for (std::uint32_t k = r == 0 ? 0 : block.row_end[r - 1]; next < last; ++k) {
        const std::uint32_t at = position_of(block.index[k]);
        if (at < first_) continue;
        original[next] = before_[at - first_];
        if (position.empty()) block.index[k] = next;
        ++next;
      }
    }
  });
  for (std::uint32_t r = next_; !position.empty() && r < begin[parts]; ++r)
    position[original[r] - text.first_number] = r;
  next_ = begin[parts];
}

}  // namespace hogwild::detail
