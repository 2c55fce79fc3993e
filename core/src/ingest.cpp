// SPDX-License-Identifier: Apache-2.0
#include "ingest.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <hogwild/core/error.hpp>
#include <hogwild/core/random.hpp>

namespace hogwild::detail {
namespace {

constexpr std::uint64_t shuffle_seed = 2011;

std::vector<row_plan::place> text_order(const parsed_text& text) {
  std::vector<row_plan::place> order;
  order.reserve(text.rows);
  for (std::uint32_t b = 0; b < text.blocks.size(); ++b)
    for (std::uint32_t r = 0; r < text.blocks[b].label.size(); ++r) order.push_back({b, r});
  return order;
}

void shuffle(std::vector<row_plan::place>& order) {
  const counter_random random(shuffle_seed, 0);
  for (std::uint64_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[random.below(left, left)]);
}

struct row_source {
  const libsvm_block* block;
  std::uint32_t row, begin, end;
};

row_source find_row(const parsed_text& text, row_plan::place place) {
  const libsvm_block& block = text.blocks[place.block];
  return {&block, place.row, place.row == 0 ? 0 : block.row_end[place.row - 1], block.row_end[place.row]};
}

/// Writes one block of rows, whose first entry goes to place `begin`.
class block_writer {
 public:
  block_writer(const parsed_text& text, const row_plan& plan, dataset_writer& file)
      : text_(text),
        plan_(plan),
        file_(file),
        row_start_(cache_arrays::writable(file.arrays().row_start)),
        index_(cache_arrays::writable(file.arrays().index)),
        value_(cache_arrays::writable(file.arrays().value)),
        label_(cache_arrays::writable(file.arrays().label)) {}

  std::size_t blocks() const { return file_.arrays().header.blocks(); }

  std::uint64_t entries(std::size_t block) const {
    std::uint64_t sum = 0;
    for_rows(block, [&](std::size_t, const row_source& source) { sum += source.end - source.begin; });
    return sum;
  }

  void write(std::size_t block, std::uint64_t begin, std::uint64_t end) const {
    dataset_writer::populate(index_.subspan(begin, end - begin));
    dataset_writer::populate(value_.subspan(begin, end - begin));
    std::uint64_t place = begin;
    for_rows(block, [&](std::size_t r, const row_source& source) {
      row_start_[r] = place;
      label_[r] = source.block->label[source.row];
      const std::uint32_t length = source.end - source.begin;
      copy_indices(source.block->index + source.begin, length, index_.data() + place);
      std::copy_n(source.block->value + source.begin, length, value_.data() + place);
      place += length;
    });
    file_.seal_block(block, end);
  }

 private:
  template <class Visit>
  void for_rows(std::size_t block, Visit&& visit) const {
    const std::size_t step = file_.arrays().header.rows_per_block, first = block * step;
    const std::size_t last = std::min(first + step, plan_.order.size());
    for (std::size_t r = first; r < last; ++r) visit(r, find_row(text_, plan_.order[r]));
  }

  void copy_indices(const std::uint32_t* from, std::size_t count, std::uint32_t* to) const {
    if (plan_.columns.rank.empty()) {
      std::copy_n(from, count, to);
      return;
    }
    const std::uint32_t* const rank = plan_.columns.rank.data();
    for (std::size_t k = 0; k < count; ++k) to[k] = rank[from[k]];
  }

  const parsed_text& text_;
  const row_plan& plan_;
  dataset_writer& file_;
  std::span<std::uint64_t> row_start_;
  std::span<std::uint32_t> index_;
  std::span<float> value_;
  std::span<double> label_;
};

}  // namespace

row_plan plan_rows(parsed_text& text, const column_numbering* numbering) {
  if (text.rows > std::numeric_limits<std::uint32_t>::max())
    throw input_error("the data have " + std::to_string(text.rows) + " rows; at most 4294967295 are supported");
  row_plan plan;
  plan.columns = numbering == nullptr ? rank_columns(text) : apply_numbering(text, *numbering, plan.unknown_entries);
  plan.order = text_order(text);
  if (numbering == nullptr) shuffle(plan.order);
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
  header.unknown_entries = plan.unknown_entries;
  header.rows_per_block = rows_per_block(text.rows, text.nonzeros);
  return header;
}

void write_rows(const parsed_text& text, const row_plan& plan, dataset_writer& file) {
  const block_writer writer(text, plan, file);
  std::vector<std::uint64_t> begin(writer.blocks() + 1);
  tbb::parallel_for(std::size_t{0}, writer.blocks(), [&](std::size_t b) { begin[b + 1] = writer.entries(b); });
  for (std::size_t b = 0; b < writer.blocks(); ++b) begin[b + 1] += begin[b];
  cache_arrays::writable(file.arrays().row_start).back() = begin.back();
  tbb::parallel_for(std::size_t{0}, writer.blocks(), [&](std::size_t b) { writer.write(b, begin[b], begin[b + 1]); });
  std::copy(plan.columns.original.begin(), plan.columns.original.end(),
            cache_arrays::writable(file.arrays().original).begin());
  std::copy(plan.columns.degree.begin(), plan.columns.degree.end(),
            cache_arrays::writable(file.arrays().degree).begin());
}

}  // namespace hogwild::detail
