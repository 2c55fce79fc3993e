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
#include "data/row_kind.hpp"

namespace hogwild::detail {

/// What a cache must have been made from to be used.
struct cache_key {
  source_stamp source;
  std::uint64_t options = 0;
  row_kind kind = row_kind::libsvm;
};

/// Digest of the options, and of the format, that change what is read; 0 for plain training data in LIBSVM text.
std::uint64_t options_digest(const open_options& options, row_kind kind = row_kind::libsvm);

/// Where the cache of a source may be, in the order of preference: beside it, in the fallback folder, and there under a
/// name of this user's, for folders where others have put something under the first.
std::vector<std::filesystem::path> cache_places(const std::string& source, const open_options& options,
                                                row_kind kind = row_kind::libsvm);

/// Whether the file begins as our caches do.
bool has_cache_magic(const unique_fd& fd);

/// Why what stands at `place` must not be replaced, as the end of a sentence "PLACE ...": it is no cache, of whatever
/// version, or it belongs to others. Empty where it may be, or where nothing is there.
std::string reason_to_keep(const std::filesystem::path& place);

/// What one place holds: the dataset, or the reason why it cannot be used (the end of a sentence "the cache ..."), or
/// neither where nothing is there. A cache that is not trusted (trusted_file.hpp) cannot be used. `memory` as for
/// dataset_mapping.
struct cache_finding {
  std::optional<sparse_dataset> dataset;
  std::string reason;
};
cache_finding find_cache(const std::filesystem::path& place, const cache_key& key,
                         std::optional<std::uint64_t> memory = {});

}  // namespace hogwild::detail
