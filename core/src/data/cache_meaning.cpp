// SPDX-License-Identifier: Apache-2.0
#include "data/cache_meaning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/ratings.hpp>

namespace hogwild::detail {
namespace {

template <class T>
bool all_below(std::span<const T> numbers, std::uint64_t bound) {
  T largest = 0;
  for (const T n : numbers) largest = std::max(largest, n);
  return numbers.empty() || largest < bound;
}

/// Whether all entries are below `columns`, and those of columns from `first_singleton` on come last in each row and
/// are numbered upwards in the order of the rows (some may be missing: those of rows that were left out).
template <class T>
bool columns_hold(std::span<const T> index, const row_starts& starts, std::uint64_t first_singleton,
                  std::uint64_t columns) {
  if (first_singleton == columns)
    return all_below(index.subspan(starts.front(), starts.back() - starts.front()), columns);
  std::uint64_t next = columns;  // unknown before the first
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const std::span<const T> row = index.subspan(starts[r], starts[r + 1] - starts[r]);
    std::size_t head = row.size();
    while (head > 0 && row[head - 1] >= first_singleton) --head;
    if (!all_below(row.first(head), first_singleton)) return false;
    for (const T own : row.subspan(head)) {
      if (own >= columns || (next != columns && own < next)) return false;
      next = std::uint64_t{own} + 1;
    }
  }
  return true;
}

/// By the largest of the bits: no branch, so that it vectorises.
bool values_finite(std::span<const float> numbers) {
  std::uint32_t largest = 0;
  for (const float x : numbers) largest = std::max(largest, std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
  return largest < 0x7f800000u;
}
bool values_finite(std::span<const half> numbers) {
  std::uint16_t largest = 0;
  for (const half x : numbers)
    largest = std::max(largest, static_cast<std::uint16_t>(static_cast<std::uint16_t>(x) & 0x7fffu));
  return largest < 0x7c00u;
}

float as_float(float x) {
  return x;
}
float as_float(half x) {
  return to_float(x);
}

template <class T>
bool values_hold(input_format kind, std::span<const T> values) {
  if (kind == input_format::of_program) return true;  // its values are not checked, like its labels
  if (!values_finite(values)) return false;
  if (kind == input_format::idx || kind == input_format::cifar)
    return std::ranges::all_of(values, [](T x) {
      const float byte = as_float(x);
      return byte >= 0.0f && byte <= 255.0f && std::trunc(byte) == byte;
    });
  return kind != input_format::graph || std::ranges::all_of(values, [](T x) { return as_float(x) >= 0.0f; });
}

bool is_whole_between(double label, double least, double most) {
  return label >= least && label <= most && std::trunc(label) == label;
}

bool label_holds(const cache_header& header, double label) {
  switch (header.kind) {
    case input_format::of_program:
      return true;
    case input_format::ratings:
      return std::isfinite(static_cast<float>(label));
    case input_format::pairs:
      return std::isfinite(static_cast<float>(label)) && static_cast<float>(label) > 0.0f;
    case input_format::triples:
      return label == 0.0;
    case input_format::idx:
      return is_whole_between(label, 0, 255);
    case input_format::cifar:
      return is_whole_between(label, 0, 9);
    case input_format::graph:
      return is_whole_between(label, no_side, most_sides - 1);
    case input_format::libsvm:
    case input_format::libffm:
    case input_format::corpus:
    case input_format::table:
    case input_format::matrix_market:
      return std::isfinite(label) && (!header.has_lists() || std::trunc(label) == label);
  }
  return false;
}

/// The largest side with a terminal, plus one.
double sides_of(std::span<const std::uint32_t> columns) {
  std::uint32_t sides = 0;
  for (const std::uint32_t column : columns)
    if (!is_node_column(column)) sides = std::max(sides, side_of_terminal(column) + 1);
  return sides;
}

/// Checks the form of rows of ratings, pairs, triples or a graph, which models rely on.
template <class T>
bool row_shapes_hold(const cache_arrays& arrays, const row_starts& starts, std::span<const T> index,
                     const label_column& labels, std::span<const std::uint32_t> original) {
  const input_format kind = arrays.header.kind;
  const std::size_t most = kind == input_format::triples ? 3 : 2;
  for (std::size_t r = 0; r + 1 < starts.size(); ++r) {
    const std::span<const T> row = index.subspan(starts[r], starts[r + 1] - starts[r]);
    if (row.size() > most) return false;
    if (row.size() < most) continue;  // entries of unknown columns are left out
    const std::uint32_t first = original[row[0]], second = original[row[1]];
    const bool holds = kind == input_format::graph
                           ? first != second && labels[r] == no_side
                           : is_user_column(first) && !is_user_column(second) &&
                                 (kind != input_format::triples || is_user_column(original[row[2]]));
    if (!holds) return false;
  }
  return true;
}

template <class Index, class Value>
bool entries_hold(const cache_arrays& arrays, std::uint64_t first, const row_starts& starts,
                  std::span<const Index> index, std::span<const Value> value, std::span<const std::uint32_t> original) {
  const cache_header& header = arrays.header;
  if (!columns_hold(index, starts, header.first_singleton, header.columns)) return false;
  if (!values_hold(header.kind, value.subspan(starts.front(), starts.back() - starts.front()))) return false;
  return !looks_at_columns(header.kind) ||
         row_shapes_hold(arrays, starts, index, arrays.label.subspan(first, starts.size() - 1), original);
}

}  // namespace

bool labels_hold(const cache_header& header, const label_column& labels, std::span<const std::uint32_t> original) {
  const bool in_table = labels.coded() || labels.lists();
  const std::span<const double> numbers = in_table ? labels.table() : labels.numbers();
  if (!std::ranges::all_of(numbers, [&](double label) { return label_holds(header, label); })) return false;
  if (header.kind == input_format::graph && header.numbered == 0) {
    const double sides = sides_of(original);
    if (!std::ranges::all_of(numbers, [&](double label) { return label < sides; })) return false;
  }
  if (!in_table || header.kind == input_format::of_program) return true;
  // A table of codes may contain both -0 and 0, in this order.
  return std::ranges::adjacent_find(numbers, [](double a, double b) {
           return !(a < b || (a == 0.0 && b == 0.0 && std::signbit(a) && !std::signbit(b)));
         }) == numbers.end();
}

bool original_holds(const cache_header& header, std::span<const std::uint32_t> original) {
  if (!all_below(original, std::numeric_limits<std::uint32_t>::max())) return false;
  if (header.numbered != 0) return true;
  const auto begin_with_one = [&] { return std::ranges::find(original, 0u) == original.end(); };
  switch (header.kind) {
    case input_format::ratings:
    case input_format::pairs:
    case input_format::triples:  // entities have the columns of users, relations those of items
      return begin_with_one() && std::ranges::is_partitioned(original, is_user_column);
    case input_format::graph:
      return begin_with_one() && std::ranges::is_partitioned(original, is_node_column) &&
             std::ranges::all_of(original, [](std::uint32_t column) {
               return is_node_column(column) || side_of_terminal(column) < most_sides;
             });
    case input_format::libffm:
      return std::ranges::all_of(original, [](std::uint32_t column) { return field_of(column) <= largest_field; });
    case input_format::libsvm:
    case input_format::idx:
    case input_format::cifar:
    case input_format::corpus:
    case input_format::of_program:
    case input_format::table:
    case input_format::matrix_market:
      return true;
  }
  return false;
}

bool original_is_distinct(std::span<const std::uint32_t> original) {
  std::vector<std::uint32_t> sorted(original.begin(), original.end());
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

bool degree_holds(const cache_header& header, std::span<const std::uint32_t> degree) {
  // A word may occur several times in a sentence, and an entity at both ends of a triple.
  return header.kind == input_format::corpus || header.kind == input_format::triples ||
         header.kind == input_format::of_program ||
         std::ranges::all_of(degree, [&](std::uint32_t rows) { return rows <= header.rows; });
}

bool looks_at_columns(input_format kind) {
  return kind == input_format::ratings || kind == input_format::pairs || kind == input_format::triples ||
         kind == input_format::graph;
}

bool block_holds(const cache_arrays& arrays, std::uint64_t block, std::span<const std::uint32_t> original) {
  const std::uint64_t first = block * arrays.header.rows_per_block;
  const std::uint64_t rows = std::min<std::uint64_t>(arrays.header.rows_per_block, arrays.header.rows - first);
  const row_starts starts = arrays.row_start.subspan(first, rows + 1);
  if (block_sum(arrays, block, starts.back()) != arrays.block_checksum[block]) return false;
  const auto with = [&](const auto& index) {
    return arrays.header.value_bytes == 2 ? entries_hold(arrays, first, starts, index, arrays.value16, original)
                                          : entries_hold(arrays, first, starts, index, arrays.value, original);
  };
  return arrays.header.index_bytes == 2 ? with(arrays.index16) : with(arrays.index);
}

}  // namespace hogwild::detail
