// SPDX-License-Identifier: Apache-2.0
#include "data/ingest.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>

#include "data/memory_budget.hpp"
#include "data/row_shuffle.hpp"

namespace hogwild::detail {
namespace {

std::vector<row_place> text_order(const parsed_text& text) {
  std::vector<row_place> order;
  order.reserve(text.rows);
  for (std::uint32_t b = 0; b < text.blocks.size(); ++b)
    for (std::uint32_t r = 0; r < text.blocks[b].label.size(); ++r) order.push_back({b, r});
  return order;
}

std::span<const float> values_of(const row_block& block) {
  return {block.value, block.row_end.back()};
}

/// Rows count from 1.
[[noreturn]] void refuse_value(std::size_t row, float value, const std::string& source) {
  throw input_error(source + ": row " + std::to_string(row) + " has the value " + to_text(value) +
                    ", but half precision ends at 65504; keep values in float, or scale the data");
}

/// Throws for the first value in the order of the text that half precision cannot hold.
void require_half_range(const parsed_text& text, const std::string& source) {
  std::vector<std::size_t> beyond(text.blocks.size());
  tbb::parallel_for(std::size_t{0}, beyond.size(),
                    [&](std::size_t b) { beyond[b] = first_beyond_half(values_of(text.blocks[b])); });
  std::size_t row = 1;
  for (std::size_t b = 0; b < beyond.size(); ++b) {
    const auto& ends = text.blocks[b].row_end;
    if (beyond[b] < values_of(text.blocks[b]).size())
      refuse_value(row + static_cast<std::size_t>(std::ranges::upper_bound(ends, beyond[b]) - ends.begin()),
                   text.blocks[b].value[beyond[b]], source);
    row += ends.size();
  }
}

bool are_halves(const parsed_text& text) {
  std::atomic<bool> all{true};
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    if (all.load(std::memory_order_relaxed) && !detail::are_halves(values_of(text.blocks[b]))) all = false;
  });
  return all;
}

label_codes numbered(label_codes codes) {
  codes.number();
  return codes;
}

label_codes codes_of(const parsed_text& text) {
  tbb::enumerable_thread_specific<label_codes> parts;
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    label_codes& part = parts.local();
    for (const double label : text.blocks[b].label) part.add(label);
  });
  label_codes all;
  for (const label_codes& part : parts) all.add(part);
  return numbered(all);
}

void require_list_room(std::uint64_t labels, const std::string& source) {
  if (labels > std::numeric_limits<std::uint32_t>::max())
    throw input_error(source + ": the lists have more than 4294967295 labels in all, which is the most");
}

/// The lists of all rows, in this order.
label_lists lists_of(const parsed_text& text, const std::vector<row_place>& order, const std::string& source) {
  std::vector<std::uint32_t> start{0};
  std::vector<double> labels;
  start.reserve(order.size() + 1);
  for (const auto [b, r] : order) {
    const row_block& block = text.blocks[b];
    labels.insert(labels.end(), block.list.begin() + (r == 0 ? 0 : block.list_end[r - 1]),
                  block.list.begin() + block.list_end[r]);
    require_list_room(labels.size(), source);
    start.push_back(static_cast<std::uint32_t>(labels.size()));
  }
  return {start, labels};
}

/// The distinct labels of all lists and of rows without a list, ascending.
std::vector<double> table_of_lists(const spilled_text& text) {
  std::vector<double> table;
  std::size_t settled = 0;  // labels known to be distinct
  const auto settle = [&] {
    std::ranges::sort(table);
    table.erase(std::unique(table.begin(), table.end()), table.end());
    settled = table.size();
  };
  for (const auto& spilled : text.blocks()) {
    const row_block block = text.file().read_rows(spilled.place);
    for (const double label : block.list_end.empty() ? block.label : block.list) table.push_back(label + 0.0);  // no -0
    if (table.size() > 2 * settled + 65536) settle();
  }
  settle();
  return table;
}

/// For rows in memory: puts them into their order.
void order_rows(parsed_text& text, bool is_training, row_plan& plan, const std::string& source) {
  plan.order = text_order(text);
  if (is_training) shuffle_rows(plan.order);
  if (plan.first_singleton < plan.columns.original.size()) {
    column_order& columns = plan.columns;
    singleton_order(plan.first_singleton, {columns.original.begin() + plan.first_singleton, columns.original.end()})
        .number(text, plan.order, columns.original, columns.position);
  }
  if (text.lists) plan.lists = lists_of(text, plan.order, source);
}

/// For spilled rows: distributes them among ranges, each of which is ordered when it is written.
void distribute_rows(parsed_text& text, bool is_training, row_plan& plan, const std::string& source) {
  spilled_text& spilled = *text.spilled;
  if (text.lists) {
    require_list_room(spilled.labels(), source);
    plan.lists.table = table_of_lists(spilled);
  }
  const std::size_t columns = plan.columns.original.size();
  const text_sizes sizes{.rows = text.rows,
                         .entries = text.nonzeros,
                         .columns = columns,
                         .singletons = columns - std::min<std::size_t>(columns, plan.first_singleton),
                         .table_bytes = spilled.columns().bytes(),
                         .listed = text.lists ? spilled.labels() : 0,
                         .block_bytes = spilled.largest_block(),
                         .shuffled = is_training,
                         .rows_per_block = rows_per_block(text.rows, text.nonzeros)};
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  // The names as they are held here, for the file, and in its mapping.
  const std::size_t names = 3 * text.schema.size();
  const auto budget = divide_memory(spilled.memory() - std::min(names, spilled.memory()), sizes, threads);
  if (!budget)
    throw resource_error(source + ": " + in_mebibytes(spilled.memory()) + " of memory are too little to parse its " +
                         std::to_string(text.rows) + " rows and " + std::to_string(columns) +
                         " columns; the least that works is " + in_mebibytes(least_memory(sizes, threads) + names));
  plan.ranges = std::make_unique<const row_ranges>(
      spilled, is_training ? shuffled_targets(text.rows) : std::vector<std::uint32_t>{},
      is_training ? &spilled.columns() : nullptr, *budget, text.rows, text.lists);
  text.spilled.reset();
}

/// The columns in their order; `unknown` becomes the number of entries that are left out.
column_order columns_of(parsed_text& text, const column_numbering* numbering, bool by_kind, std::size_t& unknown) {
  if (text.spilled == nullptr)
    return numbering == nullptr ? order_columns(text, by_kind) : apply_numbering(text, *numbering, unknown);
  if (numbering == nullptr) return order_columns(text.spilled->columns(), text.first_number, by_kind);
  unknown = text.spilled->unknown();
  column_order columns;
  columns.original.assign(numbering->original().begin(), numbering->original().end());
  columns.degree = text.spilled->degree();
  return columns;
}

}  // namespace

row_plan plan_rows(parsed_text& text, const column_numbering* numbering, value_precision values,
                   const std::string& source, const row_format& format) {
  if (text.rows > std::numeric_limits<std::uint32_t>::max())
    throw input_error(source + ": the data have " + std::to_string(text.rows) +
                      " rows; at most 4294967295 are supported");
  row_plan plan;
  plan.columns = columns_of(text, numbering, format.by_kind, plan.unknown_entries);
  plan.has_lists = text.lists;
  if (!text.lists) plan.labels = text.spilled != nullptr ? numbered(text.spilled->codes()) : codes_of(text);
  plan.half_values = text.spilled != nullptr ? text.spilled->halves() : are_halves(text);
  if (values == value_precision::half && !plan.half_values) {
    if (text.spilled == nullptr)
      require_half_range(text, source);
    else if (const auto& beyond = text.spilled->beyond_half())
      refuse_value(beyond->first, beyond->second, source);
    plan.half_values = plan.values_rounded = true;
  }
  // The model of fewer columns fits into a core's cache, and the order by number takes less room in the file.
  const bool may_reorder = numbering == nullptr && !format.keep_entry_order && !format.by_kind;
  if (may_reorder && plan.columns.original.size() > most_narrow_columns)
    plan.first_singleton = plan.columns.first_singleton();
  (text.spilled == nullptr ? order_rows : distribute_rows)(text, numbering == nullptr, plan, source);
  return plan;
}

std::uint32_t rows_per_block(std::uint64_t rows, std::uint64_t nonzeros) {
  constexpr std::uint64_t entries = 16384;
  const std::uint64_t most = std::min(rows, entries);
  return static_cast<std::uint32_t>(
      nonzeros <= entries ? most : std::clamp<std::uint64_t>(entries * rows / nonzeros, 1, most));
}

cache_header sizes_of(const parsed_text& text, const row_plan& plan) {
  cache_header header;
  header.rows = text.rows;
  header.columns = plan.columns.original.size();
  header.nonzeros = text.nonzeros;
  header.first_singleton = std::min<std::uint64_t>(plan.first_singleton, header.columns);
  header.unknown_entries = plan.unknown_entries;
  header.rows_per_block = rows_per_block(text.rows, text.nonzeros);
  if (plan.has_lists) header.version = list_cache_version;
  header.label_values =
      static_cast<std::uint32_t>(plan.has_lists ? plan.lists.table.size() : plan.labels.table().size());
  header.label_text_words = static_cast<std::uint32_t>(text.label_text().size());
  header.stated = text.stated.any() ? 1 : 0;
  header.value_bytes = plan.half_values ? 2 : 4;
  header.values_rounded = plan.values_rounded ? 1 : 0;
  header.set_image(text.image);
  narrow_indices(header);
  return header;
}

}  // namespace hogwild::detail
