// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/checksum.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hogwild::detail {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace hogwild::detail
