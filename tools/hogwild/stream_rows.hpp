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

/// Rows of LIBSVM text as they come from a descriptor, read and parsed by a thread of its own while others are trained
/// on.
class stream_rows {
 public:
  struct batch {
    libsvm_rows rows;                        ///< columns by position
    std::vector<std::uint32_t> new_columns;  ///< numbers of those that came first with these rows
    /// Of columns with these numbers. The parser has looked at the rows, so that nobody need look again.
    sparse_view view(std::span<const std::uint32_t> numbers) const;
  };

  /// `known`: columns that have positions already. `name` is what messages call the text. Takes no more from the
  /// descriptor once `stop` is requested.
  stream_rows(int descriptor, std::string name, std::span<const std::uint32_t> known, std::stop_token stop);

  /// The next rows, in their order; waits for them, up to a tenth of a second, after which there may be none. Nothing
  /// at the end of the text, or where a stop was asked for. Throws input_error for malformed text, with the line of the
  /// whole stream, once all rows before that line were given.
  std::optional<batch> next();

 private:
  void read(const std::stop_token& end);
  void take(std::string_view lines, const std::stop_token& end);
  void give(libsvm_rows rows, const std::stop_token& end);

  int descriptor_;
  std::string name_;
  arriving_columns columns_;
  std::stop_token stop_;
  std::size_t lines_ = 0;  ///< before those at hand

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<batch> ready_;
  bool ended_ = false;
  std::exception_ptr fault_;
  std::jthread reader_;  ///< goes first
};

}  // namespace hogwild::cli
