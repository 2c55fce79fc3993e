// SPDX-License-Identifier: Apache-2.0
#include "data/parsed_text.hpp"

#include <sys/mman.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <new>
#include <utility>

#include <hogwild/error.hpp>

#include "formats/label_forms.hpp"

namespace hogwild::detail {

entry_pool::piece entry_pool::allocate(std::size_t entries) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  constexpr std::size_t usual = std::size_t{4} << 20;  // entries: 32 MiB, touched only as far as it is used
  const std::size_t room = std::max(entries, usual);
  const std::size_t bytes = (room * 4 + huge_page - 1) / huge_page * huge_page;
  void* const memory = std::aligned_alloc(huge_page, 2 * bytes);
  if (memory == nullptr) throw std::bad_alloc();
  ::madvise(memory, 2 * bytes, MADV_HUGEPAGE);
  const std::scoped_lock lock(mutex_);
  memory_.emplace_back(memory);
  return {static_cast<std::uint32_t*>(memory), reinterpret_cast<float*>(static_cast<std::byte*>(memory) + bytes), room};
}

namespace {

struct work_item {
  text_block text;
  bool first = false;
  libsvm_block rows{};
};

class parallel_parse {
 public:
  parallel_parse(input_stream& input, const parse_options& options, parsed_text& result)
      : input_(input),
        options_(options),
        format_(options.format != nullptr ? *options.format : libsvm_row_format()),
        result_(result) {}

  void run() {
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    tbb::parallel_pipeline(
        blocks_in_flight * threads,
        tbb::make_filter<void, work_item*>(tbb::filter_mode::serial_in_order, [this](tbb::flow_control& control) {
          return read(control);
        }) & tbb::make_filter<work_item*, void>(tbb::filter_mode::parallel, [this](work_item* item) { parse(*item); }));
    report();
    for (work_item& item : items_) {
      if (result_.lists) item.rows.list_all(item.rows.label.size());
      collect(std::move(item.rows));
    }
  }

 private:
  /// Blocks are drawn in order, so that all before the earliest faulty one have been drawn when it is found. A fault
  /// of the stream comes behind every block that it has handed out.
  work_item* read(tbb::flow_control& control) {
    if (!stop_.load()) {
      try {
        if (std::optional<text_block> block = input_.next()) {
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

  void parse(work_item& item) {
    entry_pool::piece& piece = pieces_.local();
    const std::size_t wanted = format_.capacity(item.text.text.size());
    if (piece.left < wanted) piece = result_.pool.allocate(wanted);
    item.rows.index = piece.index;
    item.rows.value = piece.value;
    format_.parse(item.text.text, {options_.labels_optional, options_.set, item.first}, item.rows);
    piece.take(item.rows.entries);
    if (item.rows.fault) stop_ = true;
    item.text = {};
  }

  void report() {
    std::size_t lines = 0;
    label_forms forms;
    for (const work_item& item : items_) {
      if (const auto& fault = item.rows.fault)
        throw format_error(input_.name(), lines + fault->line, fault->column, fault->message);
      forms.add(item.rows, lines);
      lines += item.rows.lines;
    }
    if (stream_fault_) std::rethrow_exception(stream_fault_);
    forms.require_one(input_.name());
    result_.lists = forms.has_lists();
  }

  void collect(libsvm_block rows) {
    if (rows.label.empty()) return;
    result_.rows += rows.label.size();
    result_.nonzeros += rows.entries;
    result_.columns = std::max<std::size_t>(result_.columns, rows.columns);
    result_.blocks.push_back(std::move(rows));
  }

  input_stream& input_;
  const parse_options& options_;
  const row_format& format_;
  parsed_text& result_;
  std::deque<work_item> items_;  // grows in read() alone, which one thread at a time runs; items stay where they are
  tbb::enumerable_thread_specific<entry_pool::piece> pieces_;
  std::atomic<bool> stop_{false};
  std::exception_ptr stream_fault_;
};

}  // namespace

std::unique_ptr<parsed_text> parse_all(input_stream& input, const parse_options& options) {
  auto result = std::make_unique<parsed_text>();
  parallel_parse(input, options, *result).run();
  if (result->rows == 0) throw format_error(input.name(), 1, 1, "there are no rows; the file is empty or all comment");
  return result;
}

}  // namespace hogwild::detail
