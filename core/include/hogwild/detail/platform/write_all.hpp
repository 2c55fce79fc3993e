// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hogwild {

/// Writes all bytes to a descriptor, which may also be a pipe, a device or a socket; waits while it takes no more.
/// Throws resource_error if there was not room for all of them (full disk or device, limit on file sizes, closed
/// descriptor), and input_error if the descriptor cannot be written to; some bytes may have been written by then.
/// `name` is for the message: "cannot write NAME: reason". No two threads may write to one descriptor at a time.
void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& name);

namespace detail {

/// Opens a file that only grows, for reading and appending, and makes it if it does not exist, writable only by its
/// owner. Returns the descriptor. Throws input_error, which begins with `what`, if it cannot be opened, is not a
/// regular file, or can be changed by others (docs/security.md).
int open_own_file(const std::string& path, const std::string& what);

}  // namespace detail

}  // namespace hogwild
