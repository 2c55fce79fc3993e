// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <hogwild/detail/formats/libsvm.hpp>

#include "arriving_lines.hpp"

namespace hogwild::cli {

/// Numbers columns from 0 in the order of their first occurrence.
class arriving_columns {
 public:
  /// `known`: numbers of the columns that have positions already.
  explicit arriving_columns(std::span<const std::uint32_t> known = {});
  /// Replaces columns, as the parser numbers them, by their positions.
  void number(std::span<std::uint32_t> columns);
  /// The input's number of each column.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

 private:
  static constexpr std::uint32_t in_table = 1u << 24, none = 0xffffffffu;
  std::uint32_t position(std::uint32_t number);

  std::vector<std::uint32_t> table_;  ///< for small numbers
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
  std::vector<std::uint32_t> numbers_;
};

/// The way in which the text of a stream is read.
struct stream_format {
  record_rule rule{};
  /// Looks at the first text, which has a whole record at least, and returns the bytes of it that are no rows; null:
  /// all are. It may find out the separator.
  std::function<std::size_t(std::string_view first, const std::string& name, record_rule& rule)> begin{};
  /// Parses whole records; called by several threads at once, once begin() has returned.
  std::function<libsvm_rows(std::string_view lines, const std::string& name)> parse{};

  /// LIBSVM text. `label_words`: the words of labels, by number; empty: labels are numbers.
  static stream_format libsvm(std::span<const std::string> label_words = {});
};

/// Rows of text from a descriptor, read and parsed by threads of its own while others train.
class stream_rows {
 public:
  struct batch {
    libsvm_rows rows;                        ///< columns by position
    std::vector<std::uint32_t> new_columns;  ///< numbers of the columns that occurred first in these rows
    /// A view with the columns of these numbers. The parser has checked the rows.
    sparse_view view(std::span<const std::uint32_t> numbers) const;
  };

  /// `known`: columns that have positions already. `name` is the text's name in messages. `threads` parse. Reads no
  /// more from the descriptor once `stop` is requested.
  stream_rows(int descriptor, std::string name, stream_format format, std::span<const std::uint32_t> known,
              std::size_t threads, std::stop_token stop);

  ~stream_rows();
  stream_rows(const stream_rows&) = delete;
  stream_rows& operator=(const stream_rows&) = delete;

  /// The next rows, in order; waits up to a tenth of a second, after which the batch may be empty. Nothing at the end
  /// of the text, or if a stop was requested. Throws input_error for malformed text, with the line number in the whole
  /// stream, once all rows before that line were returned.
  std::optional<batch> next();

 private:
  /// Whole lines of the text, and the number of the piece.
  struct piece {
    std::string lines;
    std::uint64_t number = 0;
    std::exception_ptr fault;  ///< from reading the text after them
  };
  void parse_pieces(const std::stop_token& end);
  std::optional<piece> read(const std::stop_token& end);
  /// Checks the text of lines that have not ended. Throws input_error if it is not text.
  void look(bool whole_lines);
  /// False: there is no more work.
  bool take(const piece& text, const std::stop_token& end);
  /// The bytes of text_ that are whole records.
  std::size_t whole_records();
  void give(libsvm_rows rows);
  bool stopped(const std::stop_token& end) const { return stop_.stop_requested() || end.stop_requested(); }

  int descriptor_;
  std::string name_;
  stream_format format_;
  record_scanner scanner_;  ///< of text_; used by the thread that reads
  std::stop_token stop_;

  std::mutex reading_;  ///< held by the thread that reads
  std::string text_;    ///< read, not yet ended lines
  std::vector<char> room_;
  std::uint64_t pieces_ = 0;   ///< read so far
  bool begun_ = false;         ///< its first bytes were checked
  bool looked_ = false;        ///< the format has seen the first records
  std::size_t looked_at_ = 0;  ///< bytes of text_ that were checked, in a line without end
  bool more_ = true;           ///< the text has not ended

  std::mutex mutex_;  ///< guards the following
  std::condition_variable changed_;
  std::uint64_t next_piece_ = 0;  ///< whose rows are returned next
  std::size_t lines_ = 0;         ///< before that piece
  arriving_columns columns_;
  std::deque<batch> ready_;
  std::size_t parsing_;  ///< threads that have not ended
  std::exception_ptr fault_;
  std::vector<std::jthread> parsers_;  ///< destroyed first
};

}  // namespace hogwild::cli
