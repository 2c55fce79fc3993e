// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace hogwild::device {

/// How many rows a launch gets: as many as take `span` at the rate of the one before, and at most twice as many as that
/// one might have had. So a run that is to stop waits for two launches of about that length, however long rows are and
/// however slow the device is. Used by one thread.
class launch_size {
 public:
  using seconds = std::chrono::duration<double>;

  static constexpr std::size_t least_rows = 1, first_rows = 16;
  static constexpr seconds span{0.02};  ///< of one launch: long compared with the cost of starting one

  /// Never more rows than `most`, at least 1.
  explicit launch_size(std::size_t most) : most_(most), rows_(std::min(first_rows, most)) {}

  std::size_t rows() const { return rows_; }

  /// Reports that a launch of `rows` rows, at least 1, took this time.
  void took(std::size_t rows, seconds time) {
    const double suits = static_cast<double>(rows) * (span / std::max(time, seconds(1e-9)));
    const double most = static_cast<double>(std::min(most_, 2 * rows_));
    rows_ = static_cast<std::size_t>(std::clamp(suits, static_cast<double>(least_rows), most));
  }

 private:
  std::size_t most_, rows_;
};

}  // namespace hogwild::device
