// SPDX-License-Identifier: Apache-2.0
#include "data/parsed_text.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <utility>

#include <hogwild/error.hpp>

#include "data/label_forms.hpp"
#include "data/memory_budget.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {

namespace {

struct work_item {
  text_block text;
  bool first = false;
  row_block rows{};
  std::optional<spilled_text::spilled_block> spilled{};
};

class parallel_parse {
 public:
  parallel_parse(input_stream& input, const row_format& format, const parse_options& options, parsed_text& result)
      : input_(input), options_(options), format_(format), result_(result) {}

  void run() {
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::size_t in_flight = blocks_in_flight * threads;
    if (options_.spill != nullptr) {
      in_flight = std::min(in_flight, memory_budget::blocks_in_flight(options_.spill->memory, threads));
      piece_entries_ = memory_budget::piece_entries(options_.spill->memory, threads);
    }
    tbb::parallel_pipeline(
        in_flight,
        tbb::make_filter<void, work_item*>(tbb::filter_mode::serial_in_order, [this](tbb::flow_control& control) {
          return read(control);
        }) & tbb::make_filter<work_item*, work_item*>(tbb::filter_mode::parallel, [this](work_item* item) {
          parse(*item);
          return item;
        }) & tbb::make_filter<work_item*, void>(tbb::filter_mode::serial_in_order, [this](work_item* item) {
          settle(*item);
        }));
    report();
    for (work_item& item : items_) {
      if (result_.lists && !item.spilled) item.rows.list_all(item.rows.label.size());
      collect(std::move(item.rows));
    }
    if (format_.settle) format_.settle(result_);
  }

 private:
  /// Blocks are drawn in order, so that all before the earliest faulty one have been drawn when it is found. A fault of
  /// the stream comes after every block that it has returned.
  work_item* read(tbb::flow_control& control) {
    if (!stop_.load()) {
      try {
        if (std::optional<text_block> block = input_.next()) {
          if (items_.empty()) begin(block->text);
          items_.push_back({std::move(*block), items_.empty()});
          return &items_.back();
        }
      } catch (...) {
        stream_fault_ = std::current_exception();
      }
    }
    control.stop();
    return nullptr;
  }

  void begin(std::string_view text) {
    if (!format_.name.empty()) require_kind(text, format_.name, input_.name());
    if (!format_.begin) return;
    const std::string note = format_.begin(text, {options_.labels_optional, options_.set, true}, input_.name());
    if (!note.empty() && options_.note) options_.note(input_.name() + ": " + note);
  }

  void parse(work_item& item) {
    entry_piece& piece = pieces_.local();
    const std::size_t wanted = format_.capacity(item.text.text);
    if (piece.left() < wanted) piece = entry_piece(std::max(wanted, piece_entries_));
    piece.lend(item.rows);
    format_.parse(item.text.text, {options_.labels_optional, options_.set, item.first}, item.rows);
    piece.take(item.rows.entries);
    if (item.rows.fault) stop_ = true;
    item.text = {};
    if (spilling_.load()) item.spilled = spill_->write(item.rows);
  }

  /// Called in the order of the text. Once there are too many rows, all blocks go to the file.
  void settle(work_item& item) {
    result_.stated.append(std::exchange(item.rows.stated, {}), rows_, item.rows.label.size());
    rows_ += item.rows.label.size();
    entries_ += item.rows.entries;
    if (spilling_.load()) return spill(item);
    held_.push_back(&item);
    if (options_.spill == nullptr || memory_budget::holds(options_.spill->memory, rows_, entries_, names())) return;
    begin_to_spill();
  }

  std::size_t names() const { return format_.names ? format_.names() : 0; }

  void begin_to_spill() {
    const spill_options& options = *std::exchange(options_.spill, nullptr);
    std::string refused;
    auto file = block_file::in(options.folders, refused);
    if (file == nullptr) return options.refused(refused);
    spill_ = std::make_unique<spilled_text>(std::move(file), options);
    spilling_ = true;
    // Done by this thread alone, while others write blocks parsed since.
    for (work_item* const held : std::exchange(held_, {})) spill(*held);
  }

  void spill(work_item& item) {
    if (!item.spilled) item.spilled = spill_->write(item.rows);
    spill_->add(item.rows, *item.spilled, names(), input_.name());
    // The rest is kept for reports of faults, and for the forms of labels.
    result_.columns = std::max<std::size_t>(result_.columns, item.rows.columns);
    row_block& rows = item.rows;
    rows.index = nullptr, rows.value = nullptr, rows.owner = nullptr;
    for (auto* part : {&rows.row_end, &rows.list_end}) *part = {};
    for (auto* part : {&rows.label, &rows.list}) *part = {};
  }

  void report() {
    std::size_t lines = 0;
    label_forms forms(options_.empty_lists);
    for (const work_item& item : items_) {
      if (const auto& fault = item.rows.fault)
        throw format_error(input_.name(), lines + fault->line, fault->column, fault->message);
      forms.add(item.rows, lines);
      result_.spelling.add(item.rows.spelling);
      lines += item.rows.lines;
    }
    if (stream_fault_) std::rethrow_exception(stream_fault_);
    forms.require_one(input_.name(), entries_);
    result_.lists = forms.has_lists();
    result_.rows = rows_;
    result_.nonzeros = entries_;
    if (spill_ == nullptr) return;
    result_.nonzeros -= spill_->unknown();
    result_.spilled = std::move(spill_);
  }

  void collect(row_block rows) {
    if (rows.label.empty()) return;
    result_.columns = std::max<std::size_t>(result_.columns, rows.columns);
    result_.blocks.push_back(std::move(rows));
  }

  input_stream& input_;
  parse_options options_;
  const row_format& format_;
  parsed_text& result_;
  std::deque<work_item> items_;  // only read() appends, in one thread at a time; items do not move
  tbb::enumerable_thread_specific<entry_piece> pieces_;
  std::size_t piece_entries_ = entry_piece::usual;
  std::size_t rows_ = 0, entries_ = 0;   // in settled blocks
  std::vector<work_item*> held_;         // settled blocks in memory
  std::unique_ptr<spilled_text> spill_;  // set before spilling_
  std::atomic<bool> spilling_{false};
  std::atomic<bool> stop_{false};
  std::exception_ptr stream_fault_;
};

}  // namespace

void change_rows(parsed_text& text, const std::string& source, const std::function<void(row_block& block)>& change) {
  text.columns = text.nonzeros = 0;
  const auto count = [&text](const row_block& block) {
    text.columns = std::max<std::size_t>(text.columns, block.columns);
    text.nonzeros += block.entries;
  };
  if (text.spilled) {
    text.spilled->change(
        [&](row_block& block) {
          change(block);
          count(block);
        },
        source);
    return;
  }
  tbb::parallel_for(std::size_t{0}, text.blocks.size(), [&](std::size_t b) { change(text.blocks[b]); });
  for (const row_block& block : text.blocks) count(block);
}

std::vector<std::uint64_t> parsed_text::label_text() const {
  std::vector<std::uint64_t> words;
  if (!schema.empty()) {
    words.resize(1 + (schema.size() + 7) / 8);
    words.front() = schema.size();
    std::memcpy(words.data() + 1, schema.data(), schema.size());
  }
  for (const auto& part : {stated.encode(), spelling.encode()}) words.insert(words.end(), part.begin(), part.end());
  return words;
}

std::unique_ptr<parsed_text> parse_all(input_stream& input, const row_format& format, const parse_options& options) {
  auto result = std::make_unique<parsed_text>();
  result->first_number = format.first_number;
  parallel_parse(input, format, options, *result).run();
  const std::vector<std::string>& groups = result->stated.groups.names();
  if (options.note && groups.size() > 1 && std::ranges::find(groups, "") != groups.end())
    options.note(input.name() + ": rows belong to groups, and the rows without one are taken as a group, too");
  if (result->rows == 0) throw format_error(input.name(), 1, 1, "there are no rows; the file is empty or all comment");
  return result;
}

}  // namespace hogwild::detail
