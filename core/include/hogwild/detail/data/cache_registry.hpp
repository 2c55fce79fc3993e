// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hogwild {

/// What the header of a dataset cache says.
struct cache_info {
  std::filesystem::path path;
  std::uint64_t source_bytes = 0;  ///< size of the text that it was made from
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t bytes = 0;  ///< size of the cache file
  bool valid = false;       ///< header and section table hold; the numbers above are 0 where not, but for `bytes`
};

/// The dataset caches in a folder (not in folders below), by name. A file is one by its first bytes, whatever its name;
/// what cannot be read or is being written is left out. Throws input_error where the folder cannot be read.
std::vector<cache_info> list_caches(const std::filesystem::path& folder);

/// Removes the caches that list_caches() finds, what a killed process left unfinished included, and returns them.
/// Whoever has one mapped keeps it. Throws resource_error where one cannot be removed.
std::vector<cache_info> purge_caches(const std::filesystem::path& folder);

}  // namespace hogwild
