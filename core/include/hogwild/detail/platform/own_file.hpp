// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hogwild::detail {

/// Opens a file that only grows, for reading and appending, and makes it where it is not there: for its owner alone to
/// write. Returns the descriptor. Throws input_error, which begins with `what`, where it cannot be opened, is no
/// regular file, or is one that others can change (docs/security.md).
int open_own_file(const std::string& path, const std::string& what);

}  // namespace hogwild::detail
