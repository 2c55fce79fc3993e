// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/cleanup.hpp>

#include "data/cache_format.hpp"
#include "data/row_table.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// A dataset file while it is written: aside its place in a folder, or in memory. Until finish() it is nobody else's,
/// and without finish() nothing stays behind. What the file has packed is written to memory of this process, and packed
/// by finish().
class dataset_writer {
 public:
  /// `sizes`: everything of the header but table, file size and checksums. The space for all that is not packed is
  /// claimed at once.
  /// at() throws std::system_error where folder or space are not available; in_memory() throws resource_error, and both
  /// do where the file would exceed the limit on file sizes, which holds for memory as well.
  /// `permissions` as for open(2): what the source allows, the cache allows.
  static dataset_writer at(const std::filesystem::path& place, cache_header sizes, unsigned permissions = 0600);
  static dataset_writer in_memory(cache_header sizes);
  /// A file without a name in this folder: it vanishes with its last user. Throws resource_error.
  static dataset_writer nameless(const std::filesystem::path& folder, cache_header sizes);

  dataset_writer(dataset_writer&& other) noexcept;
  dataset_writer& operator=(dataset_writer&&) = delete;
  ~dataset_writer();

  /// Different parts may be written by different threads.
  const cache_arrays& arrays() const { return arrays_; }
  /// Writes the sum of one block whose rows are there; `end` is where its last row ends. Different blocks may be
  /// written and sealed by different threads.
  void seal_block(std::uint64_t block, std::uint64_t end);
  /// Gives all rows lists of labels, as label_lists has them; their table is in arrays().
  void set_lists(std::vector<std::uint32_t> start, std::vector<std::uint32_t> code) {
    rows_.set_lists(std::move(start), std::move(code));
  }
  /// Faults in the pages behind a part, at once rather than one by one.
  template <class T>
  static void populate(std::span<T> part) {
    populate(static_cast<void*>(part.data()), part.size_bytes());
  }
  /// Takes the pages behind a part of the mapped file out of this process; the file keeps what is written.
  static void leave_memory(std::span<const std::byte> part);

  /// Call when all arrays are written and all blocks sealed. Throws as at() and in_memory() do, where there is no space
  /// for what is packed, and std::system_error where renaming fails.
  /// `memory` as for dataset_mapping.
  sparse_dataset finish(std::optional<std::uint64_t> memory = {}) &&;

 private:
  dataset_writer(unique_fd fd, std::string place, std::string aside, cleanup_handler at_once,
                 const cache_header& sizes);
  void append(cache_header& header, section_kind kind, std::span<const std::uint64_t> packed) const;
  static void populate(void* place, std::size_t bytes);

  unique_fd fd_;
  std::string place_;  ///< empty in memory
  std::string aside_;  ///< empty in memory and after finish()
  cleanup_handler at_once_;
  boost::interprocess::mapped_region region_;
  row_table rows_;
  std::vector<std::uint32_t> original_, degree_;  ///< where they are packed
  cache_arrays arrays_;
};

}  // namespace hogwild::detail
