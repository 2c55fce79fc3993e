// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hogwild::detail {

/// All bytes of a file. Throws input_error if it cannot be read ("PATH: cannot be read: reason"), resource_error if it
/// does not fit into memory. Only regular files: a pipe or a device is refused rather than waited for. `distrusted`
/// becomes the reason why the file is not trusted (trusted_file.hpp), or empty.
std::vector<std::byte> read_whole_file(const std::string& path, std::string& distrusted);

}  // namespace hogwild::detail
