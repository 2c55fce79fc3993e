// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <hogwild/detail/platform/temporary_folder.hpp>

namespace hogwild::cli {

/// Where a search keeps the checkpoints of paused trials. Different files may be written at the same time.
class search_folder {
 public:
  /// The folder lies beside the journal; it is made with its first file and outlasts a search that is stopped. Without
  /// a journal (empty) it is a temporary_folder. Throws resource_error if none can be made.
  explicit search_folder(const std::string& journal);
  search_folder(const search_folder&) = delete;
  search_folder& operator=(const search_folder&) = delete;

  /// The checkpoint of a trial on one part of the rows.
  std::filesystem::path checkpoint(std::size_t trial, std::size_t part) const;
  /// The same, after making the folder.
  std::filesystem::path checkpoint_to_write(std::size_t trial, std::size_t part) const;
  /// Removes the checkpoints of a trial on all parts.
  void forget(std::size_t trial, std::size_t parts) const;
  /// Removes all of them, and the folder unless it has other files.
  void remove() const;

 private:
  std::optional<temporary_folder> temporary_{};
  std::filesystem::path path_;
};

}  // namespace hogwild::cli
