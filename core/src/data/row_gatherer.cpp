// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/row_gatherer.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/row_numbers.hpp>
#include <hogwild/detail/platform/memory_grant.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>
#include <hogwild/rows.hpp>

#include "data/dataset_mapping.hpp"
#include "data/dataset_writer.hpp"
#include "data/entry_piece.hpp"
#include "data/ingest.hpp"
#include "data/memory_budget.hpp"
#include "data/parsed_text.hpp"
#include "data/row_block.hpp"
#include "data/row_shuffle.hpp"
#include "data/spilled_text.hpp"
#include "platform/tbb_arena.hpp"

namespace hogwild::detail {
namespace {

/// Numbers that only some rows have.
template <class T>
class of_rows {
 public:
  explicit of_rows(T otherwise) : otherwise_(otherwise) {}
  void add(std::size_t row, std::optional<T> number) {
    if (!number || (numbers_.empty() && *number == otherwise_)) return;
    numbers_.resize(row, otherwise_);
    numbers_.push_back(*number);
  }
  /// One for each of `rows` rows, or none at all.
  std::vector<T>& of(std::size_t rows) {
    if (!numbers_.empty()) numbers_.resize(rows, otherwise_);
    return numbers_;
  }

 private:
  T otherwise_;
  std::vector<T> numbers_;
};

}  // namespace

class row_gatherer::implementation {
 public:
  explicit implementation(const row_options& options)
      : options_(options), most_columns_(options.columns.value_or(column_limit)) {
    if (options_.first_column > 1)
      throw config_error(options_.name + ": columns count from 0 or from 1, not from " +
                         std::to_string(options_.first_column));
    if (most_columns_ > column_limit)
      throw config_error(options_.name + ": there may be at most " + std::to_string(column_limit) + " columns");
    if (options_.memory && *options_.memory < memory_budget::least)
      throw config_error(options_.name + ": rows take at least " + in_mebibytes(memory_budget::least) +
                         " of memory; they were given " + std::to_string(*options_.memory) + " bytes");
    const std::uint64_t usable = options_.memory ? 0 : usable_memory();
    memory_ = options_.memory.value_or(usable == 0 ? 0 : std::max<std::uint64_t>(usable / 4, memory_budget::least));
    if (memory_ > 0) piece_entries_ = std::min(piece_entries_, memory_budget::piece_entries(memory_, 1));
    text_.first_number = options_.first_column;
  }

  template <class F>
  auto in_memory(const F& f) const {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      throw resource_error(options_.name + ": there is not enough memory to hold them");
    }
  }

  void add(const row& row) {
    const std::size_t entries = row.index.size();
    if (row.value.size() != entries)
      refuse(row, "has " + std::to_string(entries) + " columns and " + std::to_string(row.value.size()) +
                      " values; give as many of both");
    make_room(entries);
    const std::span index(block_.index + block_.entries, entries);
    const std::span value(block_.value + block_.entries, entries);
    copy_index(row, index);
    row.value.visit(
        [&](auto from) { std::ranges::transform(from, value.begin(), [](auto x) { return static_cast<float>(x); }); });
    const auto wrong = std::ranges::find_if(value, [](float x) { return !std::isfinite(x); });
    if (wrong != value.end()) {
      const auto k = static_cast<std::size_t>(wrong - value.begin());
      refuse(row, "value", k,
             std::isfinite(row.value[k])
                 ? "is " + to_text(row.value[k]) + ", which single precision cannot hold; scale the data"
                 : "is no finite number; leave the entry out, or the row");
    }
    add_labels(row);
    require_row_numbers(row);
    weight_.add(rows_, row.weight);
    offset_.add(rows_, row.offset);
    id_.add(rows_, row.id);
    block_.entries += entries;
    block_.row_end.push_back(static_cast<std::uint32_t>(block_.entries));
    ++rows_;
  }

  bool borrow(const csr_arrays& piece, std::size_t part) {
    const auto take = [&] { return borrow_blocks(piece, most_columns_); };
    const bool one_block = piece.index.size() <= entries_of_block && piece.row_start.size() <= rows_of_block;
    auto blocks = one_block ? take() : with_tbb_threads(options_.threads, take);
    if (!blocks) return false;
    settle();
    std::size_t number = 0;  // the piece's rows taken so far
    for (row_block& block : *blocks) {
      for (const double label : block.label) note_fraction({.label = label, .part = part, .number = ++number});
      rows_ += block.label.size();
      block_ = std::move(block);
      settle();
    }
    const std::size_t before = rows_ - number;
    for (std::size_t r = 0; r < piece.weight.size(); ++r) weight_.add(before + r, piece.weight[r]);
    for (std::size_t r = 0; r < piece.offset.size(); ++r) offset_.add(before + r, piece.offset[r]);
    for (std::size_t r = 0; r < piece.id.size(); ++r) id_.add(before + r, piece.id[r]);
    return true;
  }

  sparse_dataset finish() {
    settle();
    if (rows_ == 0) throw input_error(options_.name + ": there are no rows; give one at least");
    if (first_list_ != 0 && !fraction_.empty())
      throw input_error(fraction_ + " is no whole number, but row " + std::to_string(first_list_) +
                        " has a list of labels, which are classes; give classes in all rows, or numbers");
    std::vector<float>& weights = weight_.of(rows_);
    if (!weights.empty()) require_weights(weights, rows_, options_.name);
    sparse_dataset data =
        dataset_access::in_order(with_tbb_threads(options_.threads, [&] { return write(); }), shuffled());
    if (!weights.empty()) data.set_weights(weights);
    if (const auto& offsets = offset_.of(rows_); !offsets.empty()) data.set_offsets(offsets);
    if (auto& ids = id_.of(rows_); !ids.empty()) {
      if (shuffled()) shuffle_rows(ids);
      dataset_access::set_ids(data, std::move(ids));
    }
    return data;
  }

 private:
  bool shuffled() const { return options_.numbering == nullptr; }

  std::string place_of(const row& row) const {
    return options_.name + (row.part > 0 ? ": piece " + std::to_string(row.part) : "") + ": ";
  }
  [[noreturn]] void refuse(const row& row, const std::string& fault) const {
    throw input_error(place_of(row) + "row " + std::to_string(row.number) + " " + fault);
  }
  [[noreturn]] void refuse(const row& row, std::string_view array, std::size_t k, const std::string& fault) const {
    throw input_error(place_of(row) + std::string(array) + "[" + std::to_string(row.first + k) + "], in row " +
                      std::to_string(row.number) + ", " + fault);
  }

  /// The next row's entries are appended to the block, or begin a new one.
  void make_room(std::size_t entries) {
    const bool full = block_.entries + entries > entries_of_block || block_.row_end.size() == rows_of_block;
    if (block_.index != nullptr && !full && block_.entries + entries <= piece_.left()) return;
    settle();
    if (piece_.left() < entries) piece_ = entry_piece(std::max(entries, piece_entries_));
    piece_.lend(block_);
  }

  void copy_index(const row& row, std::span<std::uint32_t> to) {
    std::size_t beyond = to.size();
    row.index.visit([&](auto from) {
      for (std::size_t k = 0; k < to.size(); ++k) {
        if (std::cmp_less(from[k], 0) || std::cmp_greater_equal(from[k], most_columns_)) {
          beyond = k;
          return;
        }
        to[k] = static_cast<std::uint32_t>(from[k]);
      }
    });
    if (beyond < to.size())
      refuse(row, "index", beyond,
             "is " + row.index.visit([&](auto from) { return std::to_string(from[beyond]); }) +
                 (row.index[beyond] < 0.0
                      ? "; columns count from 0"
                      : ", but there are only " + std::to_string(most_columns_) + " columns (counted from 0)"));
    if (std::ranges::adjacent_find(to, std::greater_equal<>()) != to.end()) require_distinct(row, to);
    for (const std::uint32_t j : to) block_.columns = std::max(block_.columns, j + 1);
  }

  void require_distinct(const row& row, std::span<const std::uint32_t> index) {
    sorted_.assign(index.begin(), index.end());
    std::ranges::sort(sorted_);
    const auto twice = std::ranges::adjacent_find(sorted_);
    if (twice == sorted_.end()) return;
    const auto last = std::ranges::find(index.rbegin(), index.rend(), *twice);
    refuse(row, "index", static_cast<std::size_t>(index.rend() - last) - 1,
           "is column " + std::to_string(*twice) + " a second time; add its values up, or leave one out");
  }

  void add_labels(const row& row) {
    if (row.list.empty()) {
      if (!std::isfinite(row.label)) refuse(row, "has a label that is no finite number; leave the row out");
      block_.label.push_back(row.label);
      note_fraction(row);
      if (!block_.list.empty()) block_.list_all(block_.label.size());
      return;
    }
    list_.assign(row.list.begin(), row.list.end());
    if (std::ranges::any_of(list_, [](double x) { return !std::isfinite(x) || std::trunc(x) != x; }))
      refuse(row, "has a list with a label that is no whole number; labels of lists are classes");
    for (double& x : list_) x += 0.0;  // no -0
    std::ranges::sort(list_);
    if (std::ranges::adjacent_find(list_) != list_.end())
      refuse(row, "has a list that names a label twice; once is enough");
    if (first_list_ == 0) first_list_ = rows_ + 1;
    block_.label.push_back(list_.front());
    block_.add_list(list_);
  }

  void note_fraction(const row& row) {
    if (std::trunc(row.label) != row.label && fraction_.empty())
      fraction_ = place_of(row) + "the label of row " + std::to_string(row.number);
  }

  void require_row_numbers(const row& row) const {
    if (row.weight && !(std::isfinite(*row.weight) && *row.weight >= 0.0f))
      refuse(row, "has a weight that is negative or no finite number; a weight is 0 or more");
    if (row.offset && !std::isfinite(*row.offset)) refuse(row, "has an offset that is no finite number");
  }

  /// The block is complete.
  void settle() {
    if (block_.row_end.empty()) return;
    if (!block_.borrowed) piece_.take(block_.entries);
    text_.columns = std::max<std::size_t>(text_.columns, block_.columns);
    text_.nonzeros += block_.entries;
    if (spilled_ != nullptr) {
      spill(block_);
      piece_ = {};  // its memory is free for the next block
    } else {
      text_.blocks.push_back(std::move(block_));
      if (may_spill_ && memory_ > 0 && !memory_budget::holds(memory_, rows_, text_.nonzeros)) begin_to_spill();
    }
    block_ = {};
  }

  void begin_to_spill() {
    may_spill_ = false;
    std::string refused = "no folder was named";
    std::unique_ptr<block_file> file;
    if (!options_.folder.empty()) file = block_file::in(std::span(&options_.folder, 1), refused);
    if (file == nullptr) {
      if (options_.memory)
        throw resource_error(options_.name + " take more than " + in_mebibytes(memory_) +
                             " of memory, and there is no file for them: " + refused +
                             "; give a folder for it, or more memory");
      const std::string told = printable(
          options_.name + " take more than a quarter of the memory, because there is no file for them: " + refused);
      options_.note ? options_.note(told) : note_by_default(told);
      return;
    }
    spilled_ = std::make_unique<spilled_text>(std::move(file), spill_options{.memory = memory_,
                                                                             .numbering = options_.numbering,
                                                                             .first_number = options_.first_column,
                                                                             .values = options_.values});
    for (row_block& block : text_.blocks) {
      spill(block);
      block = {};
    }
    text_.blocks.clear();
    piece_ = {};
  }

  void spill(row_block& block) { spilled_->add(block, spilled_->write(block), 0, options_.name); }

  sparse_dataset write() {
    text_.rows = rows_;
    text_.lists = first_list_ != 0;
    if (text_.lists)
      for (row_block& block : text_.blocks) block.list_all(block.label.size());
    if (spilled_ != nullptr) text_.nonzeros -= spilled_->unknown();
    text_.spilled = std::move(spilled_);
    const row_plan plan = plan_rows(text_, options_.numbering, options_.values, options_.name, row_format{});
    const cache_header header = sizes_of(text_, plan);
    dataset_writer file = plan.ranges != nullptr ? dataset_writer::nameless(plan.ranges->folder(), header)
                                                 : dataset_writer::in_memory(header);
    write_rows(text_, plan, file);
    return std::move(file).finish(options_.memory);
  }

  row_options options_;
  std::size_t most_columns_;
  std::size_t memory_ = 0;  ///< 0: no limit
  std::size_t piece_entries_ = entry_piece::usual;
  bool may_spill_ = true;
  parsed_text text_;  ///< complete blocks
  row_block block_;
  entry_piece piece_;
  std::unique_ptr<spilled_text> spilled_;
  std::size_t rows_ = 0;
  std::size_t first_list_ = 0;  ///< the first row with a list of labels, from 1; 0: none
  std::string fraction_;        ///< names the first label that is not a whole number
  of_rows<float> weight_{1.0f}, offset_{0.0f};
  of_rows<std::uint32_t> id_{0};
  std::vector<std::uint32_t> sorted_;
  std::vector<double> list_;
};

row_gatherer::row_gatherer(const row_options& options) : own_(std::make_unique<implementation>(options)) {}
row_gatherer::~row_gatherer() = default;

void row_gatherer::add(const row& row) {
  own_->in_memory([&] { own_->add(row); });
}
bool row_gatherer::borrow(const csr_arrays& piece, std::size_t part) {
  return own_->in_memory([&] { return own_->borrow(piece, part); });
}
sparse_dataset row_gatherer::finish() {
  return own_->in_memory([&] { return own_->finish(); });
}

}  // namespace hogwild::detail
