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

/// A dataset file while it is being written: under a temporary name in its folder, or in memory. Nobody else uses it
/// before finish(), and without finish() nothing is left behind. Packed parts are first written to memory of this
/// process; finish() packs them.
class dataset_writer {
 public:
  /// `sizes`: the header without table, file size and checksums. Space for all that is not packed is allocated at once.
  /// at() throws std::system_error if folder or space are not available; in_memory() throws resource_error; both do so
  /// if the file would exceed the limit on file sizes, which holds for memory as well. `permissions` as for open(2):
  /// the cache allows what the source allows.
  static dataset_writer at(const std::filesystem::path& place, cache_header sizes, unsigned permissions = 0600);
  static dataset_writer in_memory(cache_header sizes);
  /// An unnamed file in this folder: it vanishes with its last user. Throws resource_error.
  static dataset_writer nameless(const std::filesystem::path& folder, cache_header sizes);

  dataset_writer(dataset_writer&& other) noexcept;
  dataset_writer& operator=(dataset_writer&&) = delete;
  ~dataset_writer();

  /// Different parts may be written by different threads.
  const cache_arrays& arrays() const { return arrays_; }
  /// Writes the checksum of a block whose rows are complete; `end` is the end of its last row. Different blocks may be
  /// written and sealed by different threads.
  void seal_block(std::uint64_t block, std::uint64_t end);
  /// Gives all rows lists of labels, in the form of label_lists; their table is in arrays().
  void set_lists(std::vector<std::uint32_t> start, std::vector<std::uint32_t> code) {
    rows_.set_lists(std::move(start), std::move(code));
  }
  /// Maps the pages of a part at once rather than one by one.
  template <class T>
  static void populate(std::span<T> part) {
    populate(static_cast<void*>(part.data()), part.size_bytes());
  }
  /// Unmaps the pages of a part of the file from this process; the file keeps the written data.
  static void leave_memory(std::span<const std::byte> part);

  /// To be called when all arrays are written and all blocks sealed. Throws as at() and in_memory() do, if there is no
  /// space for the packed parts, and std::system_error if renaming fails. `memory` as for dataset_mapping.
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
  std::vector<std::uint32_t> original_, degree_;  ///< if they are packed
  cache_arrays arrays_;
};

}  // namespace hogwild::detail
