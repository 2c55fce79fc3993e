// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include <hogwild/detail/data/half.hpp>

#include "data/ingest.hpp"
#include "data/writable_arrays.hpp"

namespace hogwild::detail {
namespace {

struct row_source {
  const row_block* block;
  std::uint32_t row, begin, end;

  std::uint32_t singletons() const { return block->singletons.empty() ? 0 : block->singletons[row]; }
};

row_source find_row(const parsed_text& text, row_place place) {
  const row_block& block = text.blocks[place.block];
  return {&block, place.row, place.row == 0 ? 0 : block.row_end[place.row - 1], block.row_end[place.row]};
}

/// Writes one block of rows, beginning with entry `begin`.
class block_writer {
 public:
  /// `order` has the rows of whole blocks, beginning with row `first_row` of the file.
  block_writer(const parsed_text& text, std::span<const row_place> order, const row_plan& plan, dataset_writer& file,
               std::uint64_t first_row)
      : text_(text), order_(order), plan_(plan), file_(file), to_(file.arrays()), first_row_(first_row) {}

  std::size_t first_block() const { return first_row_ / file_.arrays().header.rows_per_block; }
  std::size_t last_block() const {
    const std::size_t step = file_.arrays().header.rows_per_block;
    return (first_row_ + order_.size() + step - 1) / step;
  }

  std::uint64_t entries(std::size_t block) const {
    std::uint64_t sum = 0;
    const auto [first, last] = rows_of(block);
    for (std::size_t r = first; r < last; ++r) {
      if (r + ahead < last) announce_place(order_[r + ahead]);
      const row_source source = find_row(text_, order_[r]);
      sum += source.end - source.begin;
    }
    return sum;
  }

  void write(std::size_t block, std::uint64_t begin, std::uint64_t end) const {
    to_.populate(begin, end - begin);
    std::uint64_t place = begin;
    for_rows(block, [&](std::size_t r, const row_source& source) {
      to_.start_row(r, place);
      if (!plan_.has_lists) write_label(r, source.block->label[source.row]);
      copy_entries(source, place);
      place += source.end - source.begin;
    });
    file_.seal_block(block, end);
  }

 private:
  /// The first row of a block, and one more than its last, in `order_`.
  std::pair<std::size_t, std::size_t> rows_of(std::size_t block) const {
    const std::size_t step = file_.arrays().header.rows_per_block, first = block * step - first_row_;
    return {first, std::min(first + step, order_.size())};
  }
  template <class Visit>
  void for_rows(std::size_t block, Visit&& visit) const {
    const auto [first, last] = rows_of(block);
    for (std::size_t r = first; r < last; ++r) {
      if (r + 2 * ahead < last) announce_place(order_[r + 2 * ahead]);
      if (r + ahead < last) announce_row(find_row(text_, order_[r + ahead]));
      visit(first_row_ + r, find_row(text_, order_[r]));
    }
  }

  /// Prefetches this many rows ahead: rows are anywhere in the text, and a short one takes less time than a cache miss.
  static constexpr std::size_t ahead = 12;
  void announce_place(row_place place) const {
    const row_block& block = text_.blocks[place.block];
    __builtin_prefetch(block.row_end.data() + place.row);
    if (!block.singletons.empty()) __builtin_prefetch(block.singletons.data() + place.row);
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
    const auto copy = [&](auto* index) {
      to_.value16.empty() ? copy_entries(source, index, to_.value.data() + place)
                          : copy_entries(source, index, to_.value16.data() + place);
    };
    to_.index16.empty() ? copy(to_.index.data() + place) : copy(to_.index16.data() + place);
  }

  /// Entries in columns that no other row has come last.
  template <class Index, class Value>
  void copy_entries(const row_source& source, Index* index, Value* value) const {
    const auto as_stored = [](float from) {
      if constexpr (std::is_same_v<Value, half>)
        return to_half(from);
      else
        return from;
    };
    const std::uint32_t length = source.end - source.begin, singletons = source.singletons();
    const std::uint32_t* const from = source.block->index + source.begin;
    const float* const values = source.block->value + source.begin;
    if (singletons == 0) {
      copy_indices(from, length, index);
      std::transform(values, values + length, value, as_stored);
      return;
    }
    const std::span<const std::uint32_t> position = plan_.columns.position;
    std::uint32_t next = 0, next_last = length - singletons;
    for (std::uint32_t k = 0; k < length; ++k) {
      const std::uint32_t at = position.empty() ? from[k] : position[from[k]];
      const std::uint32_t place = at < plan_.first_singleton ? next++ : next_last++;
      index[place] = static_cast<Index>(at);
      value[place] = as_stored(values[k]);
    }
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
  std::span<const row_place> order_;
  const row_plan& plan_;
  dataset_writer& file_;
  writable_arrays to_;
  std::uint64_t first_row_;
};

/// Writes the next rows of the file, beginning with entry `begin`; returns where their last one ends.
std::uint64_t write_range(const parsed_text& text, std::span<const row_place> order, const row_plan& plan,
                          dataset_writer& file, std::uint64_t first_row, std::uint64_t begin) {
  const block_writer writer(text, order, plan, file, first_row);
  const std::size_t first = writer.first_block(), blocks = writer.last_block() - first;
  std::vector<std::uint64_t> start(blocks + 1);
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) { start[b + 1] = writer.entries(first + b); });
  start[0] = begin;
  for (std::size_t b = 0; b < blocks; ++b) start[b + 1] += start[b];
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) { writer.write(first + b, start[b], start[b + 1]); });
  return start.back();
}

/// Appends the lists of these rows, in this order, as codes of the existing table.
void append_lists(const parsed_text& text, std::span<const row_place> order, label_lists& lists) {
  for (const auto [b, r] : order) {
    const row_block& block = text.blocks[b];
    const std::size_t first = lists.code.size();
    for (std::uint32_t k = r == 0 ? 0 : block.list_end[r - 1]; k < block.list_end[r]; ++k) {
      const auto found = std::ranges::lower_bound(lists.table, block.list[k]);
      lists.code.push_back(static_cast<std::uint32_t>(found - lists.table.begin()));
    }
    std::sort(lists.code.begin() + static_cast<std::ptrdiff_t>(first), lists.code.end());
    lists.start.push_back(static_cast<std::uint32_t>(lists.code.size()));
  }
}

/// Writes range by range; each is in memory of its own, and written pages of the file are unmapped.
void write_ranges(const row_plan& plan, dataset_writer& file, std::vector<std::uint32_t>& original,
                  label_lists& lists) {
  singleton_order singletons(
      plan.first_singleton,
      {original.begin() + std::min<std::ptrdiff_t>(plan.first_singleton, std::ssize(original)), original.end()});
  const writable_arrays to(file.arrays());
  std::uint64_t end = 0;
  for (std::size_t k = 0; k < plan.ranges->count(); ++k) {
    row_range range = plan.ranges->read(k);
    if (plan.first_singleton < original.size()) singletons.number(range.text, range.order, original, {});
    const std::uint64_t begin = end;
    end = write_range(range.text, range.order, plan, file, range.first_row, begin);
    to.leave_memory(begin, end - begin, range.first_row, range.order.size());
    if (plan.has_lists) append_lists(range.text, range.order, lists);
  }
  to.start_row(file.arrays().header.rows, end);
}

}  // namespace

void write_rows(const parsed_text& text, const row_plan& plan, dataset_writer& file) {
  const writable_arrays to(file.arrays());
  label_lists lists = plan.lists;
  if (plan.ranges == nullptr) {
    to.start_row(text.rows, write_range(text, plan.order, plan, file, 0, 0));
    to.columns(plan.columns.original, plan.columns.degree);
  } else {
    std::vector<std::uint32_t> original = plan.columns.original;
    write_ranges(plan, file, original, lists);
    to.columns(original, plan.columns.degree);
  }
  std::ranges::copy(plan.has_lists ? std::span<const double>(lists.table) : plan.labels.table(),
                    to.label_table.begin());
  std::ranges::copy(text.label_text(), to.label_text.begin());
  if (plan.has_lists) file.set_lists(std::move(lists.start), std::move(lists.code));
}

}  // namespace hogwild::detail
