// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
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

namespace hogwild::cli {

/// Numbers columns from 0 in the order in which they come.
class arriving_columns {
 public:
  /// Numbers of those that are known, by position.
  explicit arriving_columns(std::span<const std::uint32_t> known = {});
  /// Puts positions in the place of columns as the parser counts them.
  void number(std::span<std::uint32_t> columns);
  /// The input's number of each column.
  const std::vector<std::uint32_t>& numbers() const { return numbers_; }

 private:
  static constexpr std::uint32_t in_table = 1u << 24, none = 0xffffffffu;
  std::uint32_t position(std::uint32_t number);

  std::vector<std::uint32_t> table_;  ///< of small numbers
  std::unordered_map<std::uint32_t, std::uint32_t> others_;
  std::vector<std::uint32_t> numbers_;
};

/// Rows of LIBSVM text as they come from a descriptor, read and parsed by threads of its own while others are trained
/// on.
class stream_rows {
 public:
  struct batch {
    libsvm_rows rows;                        ///< columns by position
    std::vector<std::uint32_t> new_columns;  ///< numbers of those that came first with these rows
    /// Of columns with these numbers. The parser has looked at the rows, so that nobody need look again.
    sparse_view view(std::span<const std::uint32_t> numbers) const;
  };

  /// `known`: columns that have positions already. `name` is what messages call the text. So many threads parse. Takes
  /// no more from the descriptor once `stop` is requested.
  stream_rows(int descriptor, std::string name, std::span<const std::uint32_t> known, std::size_t threads,
              std::stop_token stop);

  ~stream_rows();
  stream_rows(const stream_rows&) = delete;
  stream_rows& operator=(const stream_rows&) = delete;

  /// The next rows, in their order; waits for them, up to a tenth of a second, after which there may be none. Nothing
  /// at the end of the text, or where a stop was asked for. Throws input_error for malformed text, with the line of the
  /// whole stream, once all rows before that line were given.
  std::optional<batch> next();

 private:
  /// Whole lines of the text, and which piece of it they are.
  struct piece {
    std::string lines;
    std::uint64_t number = 0;
    std::exception_ptr fault;  ///< of reading what comes behind them
  };
  void parse_pieces(const std::stop_token& end);
  std::optional<piece> read(const std::stop_token& end);
  /// Looks at what was read of lines that have not ended. Throws input_error where that is no text of lines.
  void look(bool whole_lines);
  /// False: there is nothing more to do.
  bool take(const piece& text, const std::stop_token& end);
  void give(libsvm_rows rows);
  bool stopped(const std::stop_token& end) const { return stop_.stop_requested() || end.stop_requested(); }

  int descriptor_;
  std::string name_;
  std::stop_token stop_;

  std::mutex reading_;  ///< held by the thread that reads
  std::string text_;    ///< read, of lines that have not ended
  std::vector<char> room_;
  std::uint64_t pieces_ = 0;   ///< that were read
  bool begun_ = false;         ///< its first bytes were looked at
  std::size_t looked_at_ = 0;  ///< bytes of text_ that were, as parts of a line without end
  bool more_ = true;           ///< the text has not ended

  std::mutex mutex_;  ///< for what follows
  std::condition_variable changed_;
  std::uint64_t next_piece_ = 0;  ///< whose rows are given next
  std::size_t lines_ = 0;         ///< before that piece
  arriving_columns columns_;
  std::deque<batch> ready_;
  std::size_t parsing_;  ///< threads that have not ended
  std::exception_ptr fault_;
  std::vector<std::jthread> parsers_;  ///< go first
};

}  // namespace hogwild::cli
