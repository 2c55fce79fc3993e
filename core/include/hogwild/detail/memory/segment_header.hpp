// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hogwild/detail/platform/process_identity.hpp>

namespace hogwild {

inline constexpr std::uint64_t segment_magic = 0x317465736c776768;  ///< "hgwlset1" in memory on little-endian machines
inline constexpr std::uint32_t segment_abi_version = 3;             ///< raised when this header or a layout changes
inline constexpr std::size_t segment_header_bytes = 4096;           ///< reserved for the header; the layout follows

/// The first bytes of every segment. No pointers: each process maps the segment at another address.
///
/// The creator writes `magic` first and `ready` last (with release), and nobody writes afterwards. So a reader that saw
/// ready == 1 (with acquire) may read everything else.
struct segment_header {
  std::uint64_t magic;
  std::uint32_t abi_version;
  std::uint32_t ready;        ///< 0 while the segment is being made, 1 afterwards
  std::uint64_t layout_hash;  ///< hash of the layout that follows the header; defined by the creator's caller
  std::uint64_t build_id;     ///< hash of the program's build
  std::uint64_t total_bytes;  ///< header included
  process_identity owner;     ///< the process that created the segment and will remove it
  std::int64_t created_at;    ///< nanoseconds since 1970
  std::uint32_t uid;          ///< the creator's user
  std::uint32_t reserved;
  char model_name[128];  ///< ends with a zero; longer names are cut
  char label[256];       ///< the creator's description of the run, for listings; may be empty
};

static_assert(std::is_trivially_copyable_v<segment_header> && std::is_standard_layout_v<segment_header>);
static_assert(offsetof(segment_header, abi_version) == 8 && offsetof(segment_header, ready) == 12);
static_assert(offsetof(segment_header, layout_hash) == 16 && offsetof(segment_header, build_id) == 24);
static_assert(offsetof(segment_header, total_bytes) == 32 && offsetof(segment_header, owner) == 40);
static_assert(offsetof(segment_header, created_at) == 64 && offsetof(segment_header, uid) == 72);
static_assert(offsetof(segment_header, model_name) == 80 && offsetof(segment_header, label) == 208);
static_assert(sizeof(segment_header) == 464 && sizeof(segment_header) <= segment_header_bytes);

}  // namespace hogwild
