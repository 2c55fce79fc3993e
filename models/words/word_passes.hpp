// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <hogwild/error.hpp>

#include "words/word_blocks.hpp"

namespace hogwild::detail {

/// Opens a text at its beginning at each call.
using text_opener = std::function<std::unique_ptr<byte_reader>()>;

/// Bytes in memory that outlive this object, unchanged.
class memory_bytes : public byte_reader {
 public:
  explicit memory_bytes(std::string_view bytes) : left_(bytes) {}
  std::size_t read(std::span<char> room) override {
    const std::size_t n = std::min(room.size(), left_.size());
    std::memcpy(room.data(), left_.data(), n);
    left_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view left_;
};

/// Processes the words of a text, block by block in parallel, any number of times.
class word_passes {
 public:
  word_passes(text_opener open, const std::string& name) : open_(std::move(open)), name_(name) {}

  /// For each block of the text, make() returns an object with word(w), end_line() and `result`; collect(result) is
  /// then called for the blocks in their order, by one thread at a time. Throws the first exception of these four; else
  /// format_error for the earliest fault; else what the opened reader throws. Uses the threads of the arena in which it
  /// is called.
  template <class Result, class Make, class Collect>
  void run(const Make& make, const Collect& collect) const {
    struct scanned {
      Result result{};
      std::optional<text_fault> fault{};
      std::size_t newlines = 0, tail = 0;  ///< of the text before the fault; bytes after its last newline
    };
    word_blocks blocks(open_());
    std::size_t line = 1, column = 1;
    // No stage throws, because oneTBB would never destroy the blocks that wait for the last one. After a failure no
    // further block is processed, as a thread's own state may be half changed.
    std::atomic<bool> failed = false;
    std::exception_ptr problem, of_reader;
    const auto fail = [&] {
      if (!failed.exchange(true)) problem = std::current_exception();
    };
    const auto read = [&](tbb::flow_control& control) -> std::shared_ptr<std::string> {
      try {
        if (auto block = failed ? std::nullopt : blocks.next()) return std::make_shared<std::string>(std::move(*block));
      } catch (...) {
        of_reader = std::current_exception();  // a fault in an earlier block takes precedence
      }
      control.stop();
      return nullptr;
    };
    const auto scan = [&](const std::shared_ptr<std::string>& block) {
      std::shared_ptr<scanned> all;
      if (failed) return all;
      try {
        all = std::make_shared<scanned>();
        const std::string_view text(*block);
        auto pass = make();
        all->fault = scan_words(
            text, [&](std::string_view word) { pass.word(word); }, [&] { pass.end_line(); });
        all->result = std::move(pass.result);
        const std::string_view sound = all->fault ? text.substr(0, all->fault->at) : text;
        const std::size_t last = sound.rfind('\n');
        all->newlines = static_cast<std::size_t>(std::ranges::count(sound, '\n'));
        all->tail = last == sound.npos ? sound.size() : sound.size() - last - 1;
      } catch (...) {
        fail();
      }
      return all;
    };
    const auto take = [&](const std::shared_ptr<scanned>& block) {
      if (failed) return;
      try {
        column = block->newlines == 0 ? column + block->tail : block->tail + 1;
        line += block->newlines;
        if (block->fault) throw format_error(name_, line, column, block->fault->what);
        collect(block->result);
      } catch (...) {
        fail();
      }
    };
    using tbb::filter_mode;
    tbb::parallel_pipeline(
        4 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()),
        tbb::make_filter<void, std::shared_ptr<std::string>>(filter_mode::serial_in_order, read) &
            tbb::make_filter<std::shared_ptr<std::string>, std::shared_ptr<scanned>>(filter_mode::parallel, scan) &
            tbb::make_filter<std::shared_ptr<scanned>, void>(filter_mode::serial_in_order, take));
    if (problem) std::rethrow_exception(problem);
    if (of_reader) std::rethrow_exception(of_reader);
  }

 private:
  text_opener open_;
  const std::string& name_;
};

}  // namespace hogwild::detail
