// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace hogwild::detail {

/// The file of this name in the folder of `data`, compressed or not; empty if there is none. `name` may end as a
/// compressed file does.
std::string file_beside(const std::string& data, const std::string& name);

/// Digest of the state of a label file and of a version of what is stored, for the key of a cache; of the version alone
/// for no file or standard input.
std::uint64_t label_file_digest(const std::string& labels_path, std::uint64_t version);

}  // namespace hogwild::detail
