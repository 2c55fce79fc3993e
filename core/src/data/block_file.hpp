// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/entry_piece.hpp"
#include "data/row_block.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// Blocks of rows in an unnamed file. Its space is freed when it is closed, however the process ends.
class block_file {
 public:
  /// Where a block is, and the sizes of its parts.
  struct place {
    std::uint64_t offset = 0;
    std::uint32_t rows = 0, entries = 0, labels = 0;  ///< labels: in lists
    bool lists = false, numbered = false;
    std::uint8_t index_bytes = 4, value_bytes = 4;  ///< 2 if that holds all of them

    std::uint64_t bytes() const;
  };

  /// Makes the file in the first of these folders that allows it; null if none does: `refused` then says why.
  static std::unique_ptr<block_file> in(std::span<const std::filesystem::path> folders, std::string& refused);
  const std::filesystem::path& folder() const { return folder_; }

  /// Writes rows, and entries up to the end of the last row; `number` is the number of each row, or is empty. Any
  /// thread may call it. Throws resource_error if there is no space, and before a file grows beyond its limit.
  place add(const row_block& block, std::span<const std::uint32_t> number = {});
  /// Reads the block, with its entries in `piece`, which has room for them, and its numbers, if any. Any thread may
  /// call it. Throws resource_error.
  row_block read(const place& from, entry_piece& piece, std::vector<std::uint32_t>* number = nullptr) const;
  /// Reads only the rows' parts of a block: where they end, and their labels.
  row_block read_rows(place from) const;
  /// Frees the space of a block that is no longer needed.
  void drop(const place& gone) const;
  /// Announces that a block will be read soon.
  void announce(const place& next) const;
  std::uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }  ///< written by all threads

 private:
  block_file(unique_fd fd, std::filesystem::path folder) : fd_(std::move(fd)), folder_(std::move(folder)) {}
  [[noreturn]] void refuse(int code) const;

  unique_fd fd_;
  std::filesystem::path folder_;
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace hogwild::detail
