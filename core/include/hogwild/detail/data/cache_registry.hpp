// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hogwild {

/// The contents of the header of a dataset cache.
struct cache_info {
  std::filesystem::path path;
  std::uint64_t source_bytes = 0;  ///< size of the text that the cache was made from
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t bytes = 0;  ///< size of the cache file
  bool valid = false;       ///< header and section table are intact; if not, the numbers above are 0, except `bytes`
};

/// The dataset caches in a folder (not in its subfolders), by name. A cache is recognised by its first bytes, whatever
/// its name. Files that cannot be read or are being written are left out. Throws input_error if the folder cannot be
/// read.
std::vector<cache_info> list_caches(const std::filesystem::path& folder);

/// Removes the caches that list_caches() finds, and what killed processes left unfinished, and returns them. Processes
/// that have a cache mapped keep the mapping. Throws resource_error if one cannot be removed.
std::vector<cache_info> purge_caches(const std::filesystem::path& folder);

}  // namespace hogwild
