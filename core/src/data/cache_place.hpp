// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>

#include "platform/unique_fd.hpp"

#include "data/row_format.hpp"
#include "text/input_stream.hpp"

namespace hogwild::detail {

/// The source and the options that a cache must have been made from.
struct cache_key {
  source_stamp source;
  std::uint64_t options = 0;
  input_format kind = input_format::libsvm;
  bool numbered = false;  ///< the caller gives the numbering of the columns
};

/// Digest of the options and the format that affect what is read; 0 for plain training data in LIBSVM text.
std::uint64_t options_digest(const open_options& options, input_format kind = input_format::libsvm);

/// Where the cache of a source may be, in the order of preference: beside it, in the fallback folder, and there under a
/// name of this user, because in shared folders others may have taken the first name.
std::vector<std::filesystem::path> cache_places(const std::string& source, const open_options& options,
                                                input_format kind = input_format::libsvm);

/// Whether the file begins as our caches do.
bool has_cache_magic(const unique_fd& fd);

/// The reason why the file at `place` must not be replaced, as the end of a sentence "PLACE ...": it is not a cache of
/// any version, or it belongs to others. Empty if it may be replaced or does not exist.
std::string reason_to_keep(const std::filesystem::path& place);

/// The contents of one place: the dataset, or the reason why it cannot be used (the end of a sentence "the cache ..."),
/// or neither if nothing is there. A cache that is not trusted (trusted_file.hpp) cannot be used. `memory` as for
/// dataset_mapping.
struct cache_finding {
  std::optional<sparse_dataset> dataset;
  std::string reason;
};
cache_finding find_cache(const std::filesystem::path& place, const cache_key& key,
                         std::optional<std::uint64_t> memory = {});

}  // namespace hogwild::detail
