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
#include "formats/libsvm_parser.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// Blocks of rows in a file without a name, which takes its space with it when it goes, however the process ends.
class block_file {
 public:
  /// Where a block stands, and how much of everything it has.
  struct place {
    std::uint64_t offset = 0;
    std::uint32_t rows = 0, entries = 0, labels = 0;  ///< labels: of lists
    bool lists = false, numbered = false;
    std::uint8_t index_bytes = 4, value_bytes = 4;  ///< 2 where that holds all of them

    std::uint64_t bytes() const;
  };

  /// In the first of these folders that takes a file; null where none does: then `refused` says why.
  static std::unique_ptr<block_file> in(std::span<const std::filesystem::path> folders, std::string& refused);
  const std::filesystem::path& folder() const { return folder_; }

  /// Rows and entries up to the last row's end; `number` says which row each one is, or is empty. Any thread may call
  /// it. Throws resource_error where there is no space, and before a file grows beyond its limit.
  place add(const libsvm_block& block, std::span<const std::uint32_t> number = {});
  /// The block again, its entries in `piece`, which has room for them, and its numbers, if any. Any
  /// thread may call it. Throws resource_error.
  libsvm_block read(const place& from, entry_piece& piece, std::vector<std::uint32_t>* number = nullptr) const;
  /// Of a block only what belongs to rows: where they end, and their labels.
  libsvm_block read_rows(place from) const;
  /// A block that is needed no more gives its space back.
  void drop(const place& gone) const;
  /// A block will be read soon.
  void announce(const place& next) const;
  std::uint64_t bytes() const { return end_.load(std::memory_order_relaxed); }  ///< written, by all

 private:
  block_file(unique_fd fd, std::filesystem::path folder) : fd_(std::move(fd)), folder_(std::move(folder)) {}
  [[noreturn]] void refuse(int code) const;

  unique_fd fd_;
  std::filesystem::path folder_;
  std::atomic<std::uint64_t> end_{0};
};

}  // namespace hogwild::detail
