// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace hogwild::detail {

/// XXH3, 64 bits. Guards against accidents, not against an adversary.
std::uint64_t checksum(std::span<const std::byte> bytes);

template <class T>
std::uint64_t checksum(std::span<const T> items) {
  return checksum(std::as_bytes(items));
}

}  // namespace hogwild::detail
