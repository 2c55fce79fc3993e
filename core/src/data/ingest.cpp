// SPDX-License-Identifier: Apache-2.0
#include "data/ingest.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/error.hpp>

#include "data/row_shuffle.hpp"
#include "data/singleton_order.hpp"
#include "data/writable_arrays.hpp"

namespace hogwild::detail {
namespace {

std::vector<row_plan::place> text_order(const parsed_text& text) {
  std::vector<row_plan::place> order;
  order.reserve(text.rows);
  for (std::uint32_t b = 0; b < text.blocks.size(); ++b)
    for (std::uint32_t r = 0; r < text.blocks[b].label.size(); ++r) order.push_back({b, r});
  return order;
}

struct row_source {
  const libsvm_block* block;
  std::uint32_t row, begin, end;
};

row_source find_row(const parsed_text& text, row_plan::place place) {
  const libsvm_block& block = text.blocks[place.block];
  return {&block, place.row, place.row == 0 ? 0 : block.row_end[place.row - 1], block.row_end[place.row]};
}

std::span<const float> values_of(const libsvm_block& block) {
  return {block.value, block.row_end.back()};
}

[[noreturn]] void refuse_value(const parsed_text& text, std::size_t block, std::size_t entry,
                               const std::string& source) {
  std::size_t row = 1;
  for (std::size_t b = 0; b < block; ++b) row += text.blocks[b].row_end.size();
  const auto& ends = text.blocks[block].row_end;
  row += static_cast<std::size_t>(std::ranges::upper_bound(ends, entry) - ends.begin());
  throw input_error(source + ": row " + std::to_string(row) + " has the value " +
                    to_text(text.blocks[block].value[entry]) +
                    ", but half precision ends at 65504; keep values in float, or scale the data");
}

/// Throws for the first value in the order of the text.
void require_half_range(const parsed_text& text, const std::string& source) {
  std::vector<std::size_t> beyond(text.blocks.size());
  tbb::parallel_for(std::size_t{0}, beyond.size(),
                    [&](std::size_t b) { beyond[b] = first_beyond_half(values_of(text.blocks[b])); });
  for (std::size_t b = 0; b < beyond.size(); ++b)
    if (beyond[b] < values_of(text.blocks[b]).size()) refuse_value(text, b, beyond[b], source);
}

bool are_halves(const parsed_text& text) {
  std::atomic<bool> all{true};
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    if (all.load(std::memory_order_relaxed) && !detail::are_halves(values_of(text.blocks[b]))) all = false;
  });
  return all;
}

label_codes codes_of(const parsed_text& text) {
  tbb::enumerable_thread_specific<label_codes> parts;
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) {
    label_codes& part = parts.local();
    for (const double label : text.blocks[b].label) part.add(label);
  });
  label_codes all;
  for (const label_codes& part : parts) all.add(part);
  all.number();
  return all;
}

/// The lists of all rows, in this order.
label_lists lists_of(const parsed_text& text, const std::vector<row_plan::place>& order, const std::string& source) {
  std::vector<std::uint32_t> start{0};
  std::vector<double> labels;
  start.reserve(order.size() + 1);
  for (const auto [b, r] : order) {
    const libsvm_block& block = text.blocks[b];
    labels.insert(labels.end(), block.list.begin() + (r == 0 ? 0 : block.list_end[r - 1]),
                  block.list.begin() + block.list_end[r]);
    if (labels.size() > std::numeric_limits<std::uint32_t>::max())
      throw input_error(source + ": the lists have more than 4294967295 labels in all, which is the most");
    start.push_back(static_cast<std::uint32_t>(labels.size()));
  }
  return {start, labels};
}

/// Writes one block of rows, whose first entry goes to place `begin`.
class block_writer {
 public:
  block_writer(const parsed_text& text, const row_plan& plan, dataset_writer& file)
      : text_(text), plan_(plan), file_(file), to_(file.arrays()) {}

  std::size_t blocks() const { return file_.arrays().header.blocks(); }

  std::uint64_t entries(std::size_t block) const {
    std::uint64_t sum = 0;
    for_rows(block, [&](std::size_t, const row_source& source) { sum += source.end - source.begin; });
    return sum;
  }

  void write(std::size_t block, std::uint64_t begin, std::uint64_t end) const {
    to_.populate(begin, end - begin);
    std::uint64_t place = begin;
    for_rows(block, [&](std::size_t r, const row_source& source) {
      to_.start_row(r, place);
      if (plan_.lists.empty()) write_label(r, source.block->label[source.row]);
      if (plan_.first_singleton < plan_.columns.original.size())
        copy_singletons_last(source, place);
      else
        copy_entries(source, place);
      place += source.end - source.begin;
    });
    file_.seal_block(block, end);
  }

 private:
  template <class Visit>
  void for_rows(std::size_t block, Visit&& visit) const {
    const std::size_t step = file_.arrays().header.rows_per_block, first = block * step;
    const std::size_t last = std::min(first + step, plan_.order.size());
    for (std::size_t r = first; r < last; ++r) {
      if (r + 2 * ahead < last) announce_place(plan_.order[r + 2 * ahead]);
      if (r + ahead < last) announce_row(find_row(text_, plan_.order[r + ahead]));
      visit(r, find_row(text_, plan_.order[r]));
    }
  }

  /// Rows are anywhere in the text, and a row of few entries takes less time than its lines take to come.
  static constexpr std::size_t ahead = 12;
  void announce_place(row_plan::place place) const {
    __builtin_prefetch(text_.blocks[place.block].row_end.data() + place.row);
  }
  static void announce_row(const row_source& source) {
    __builtin_prefetch(source.block->index + source.begin);
    __builtin_prefetch(source.block->value + source.begin);
    __builtin_prefetch(source.block->label.data() + source.row);
  }

  void write_label(std::size_t r, double label) const {
    if (to_.label_code.empty())
      to_.label[r] = label;
    else
      to_.label_code[r] = plan_.labels.code(label);
  }

  void copy_entries(const row_source& source, std::uint64_t place) const {
    const std::uint32_t length = source.end - source.begin;
    if (to_.index16.empty())
      copy_indices(source.block->index + source.begin, length, to_.index.data() + place);
    else
      copy_indices(source.block->index + source.begin, length, to_.index16.data() + place);
    if (to_.value16.empty())
      std::copy_n(source.block->value + source.begin, length, to_.value.data() + place);
    else
      std::transform(source.block->value + source.begin, source.block->value + source.end, to_.value16.data() + place,
                     to_half);
  }

  void copy_singletons_last(const row_source& source, std::uint64_t place) const {
    const std::span<const std::uint32_t> position = plan_.columns.position;
    const auto copy_if = [&](auto&& wanted) {
      for (std::uint32_t k = source.begin; k < source.end; ++k) {
        const std::uint32_t at = position.empty() ? source.block->index[k] : position[source.block->index[k]];
        if (wanted(at)) copy_entry(at, source.block->value[k], place++);
      }
    };
    copy_if([this](std::uint32_t at) { return at < plan_.first_singleton; });
    copy_if([this](std::uint32_t at) { return at >= plan_.first_singleton; });
  }

  void copy_entry(std::uint32_t position, float value, std::uint64_t place) const {
    if (to_.index16.empty())
      to_.index[place] = position;
    else
      to_.index16[place] = static_cast<std::uint16_t>(position);
    if (to_.value16.empty())
      to_.value[place] = value;
    else
      to_.value16[place] = to_half(value);
  }

  template <class Index>
  void copy_indices(const std::uint32_t* from, std::size_t count, Index* to) const {
    if (plan_.columns.position.empty()) {
      for (std::size_t k = 0; k < count; ++k) to[k] = static_cast<Index>(from[k]);
      return;
    }
    const std::uint32_t* const position = plan_.columns.position.data();
    for (std::size_t k = 0; k < count; ++k) to[k] = static_cast<Index>(position[from[k]]);
  }

  const parsed_text& text_;
  const row_plan& plan_;
  dataset_writer& file_;
  writable_arrays to_;
};

}  // namespace

row_plan plan_rows(parsed_text& text, const column_numbering* numbering, value_precision values,
                   const std::string& source, const row_format& format) {
  if (text.rows > std::numeric_limits<std::uint32_t>::max())
    throw input_error(source + ": the data have " + std::to_string(text.rows) +
                      " rows; at most 4294967295 are supported");
  row_plan plan;
  plan.columns = numbering == nullptr ? order_columns(text, format.by_kind)
                                      : apply_numbering(text, *numbering, plan.unknown_entries);
  plan.order = text_order(text);
  if (numbering == nullptr) {
    shuffle_rows(plan.order);
    // A model of fewer columns fits into a core's cache; the order of their numbers takes less room in the file.
    const bool may_reorder = !format.keep_entry_order && !format.by_kind;
    if (may_reorder && plan.columns.original.size() > most_narrow_columns) {
      order_singletons(text, plan.order, plan.columns);
      plan.first_singleton = plan.columns.first_singleton();
    }
  }
  if (text.lists)
    plan.lists = lists_of(text, plan.order, source);
  else
    plan.labels = codes_of(text);
  plan.half_values = are_halves(text);
  if (values == value_precision::half && !plan.half_values) {
    require_half_range(text, source);
    plan.half_values = plan.values_rounded = true;
  }
  return plan;
}

std::uint64_t rows_per_block(std::uint64_t rows, std::uint64_t nonzeros) {
  constexpr std::uint64_t entries = 16384;
  if (nonzeros <= entries) return std::min(rows, entries);
  return std::clamp<std::uint64_t>(entries * rows / nonzeros, 1, std::min(rows, entries));
}

cache_header sizes_of(const parsed_text& text, const row_plan& plan) {
  cache_header header;
  header.rows = text.rows;
  header.columns = plan.columns.original.size();
  header.nonzeros = text.nonzeros;
  header.first_singleton = std::min<std::uint64_t>(plan.first_singleton, header.columns);
  header.unknown_entries = plan.unknown_entries;
  header.rows_per_block = rows_per_block(text.rows, text.nonzeros);
  if (!plan.lists.empty()) header.version = list_cache_version;
  header.label_values = plan.lists.empty() ? plan.labels.table().size() : plan.lists.table.size();
  header.value_bytes = plan.half_values ? 2 : 4;
  header.values_rounded = plan.values_rounded ? 1 : 0;
  header.set_image(text.image);
  narrow_indices(header);
  return header;
}

void write_rows(const parsed_text& text, const row_plan& plan, dataset_writer& file) {
  const block_writer writer(text, plan, file);
  std::vector<std::uint64_t> begin(writer.blocks() + 1);
  tbb::parallel_for(std::size_t{0}, writer.blocks(), [&](std::size_t b) { begin[b + 1] = writer.entries(b); });
  for (std::size_t b = 0; b < writer.blocks(); ++b) begin[b + 1] += begin[b];
  const writable_arrays to(file.arrays());
  to.start_row(text.rows, begin.back());
  tbb::parallel_for(std::size_t{0}, writer.blocks(), [&](std::size_t b) { writer.write(b, begin[b], begin[b + 1]); });
  to.columns(plan.columns.original, plan.columns.degree);
  if (plan.lists.empty()) {
    std::ranges::copy(plan.labels.table(), to.label_table.begin());
  } else {
    std::ranges::copy(plan.lists.table, to.label_table.begin());
    file.set_lists(plan.lists.start, plan.lists.code);
  }
}

}  // namespace hogwild::detail
