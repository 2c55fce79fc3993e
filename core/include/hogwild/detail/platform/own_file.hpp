// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hogwild::detail {

/// Opens a file that only grows, for reading and appending, and makes it if it does not exist, writable only by its
/// owner. Returns the descriptor. Throws input_error, which begins with `what`, if it cannot be opened, is not a
/// regular file, or can be changed by others (docs/security.md).
int open_own_file(const std::string& path, const std::string& what);

}  // namespace hogwild::detail
