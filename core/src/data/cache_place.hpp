// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

#include "platform/unique_fd.hpp"

#include "data/input_stream.hpp"

namespace hogwild::detail {

/// What a cache must have been made from to be used.
struct cache_key {
  source_stamp source;
  std::uint64_t options = 0;
};

/// Digest of the options, and of the format (row_format.hpp), that change what is read; 0 for plain training data in
/// LIBSVM text.
std::uint64_t options_digest(const open_options& options, std::uint32_t format = 0);

/// Where the cache of a source may be, in the order of preference: beside it, then in the fallback folder.
std::vector<std::filesystem::path> cache_places(const std::string& source, const open_options& options,
                                                std::uint32_t format = 0);

/// Whether the file begins as our caches do.
bool has_cache_magic(const unique_fd& fd);

/// True where something stands at `place` that is no cache, of whatever version: it must not be replaced.
bool is_foreign(const std::filesystem::path& place);

/// What one place holds: the dataset, or the reason why it cannot be used (the end of a sentence "the cache ..."), or
/// neither where nothing is there. `memory` as for dataset_mapping.
struct cache_finding {
  std::optional<sparse_dataset> dataset;
  std::string reason;
};
cache_finding find_cache(const std::filesystem::path& place, const cache_key& key,
                         std::optional<std::uint64_t> memory = {});

}  // namespace hogwild::detail
