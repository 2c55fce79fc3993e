// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <hogwild/detail/data/half.hpp>
#include <hogwildpp/detail/delta_message.hpp>

// The format that encoder and decoder of a delta message share.
//
// The message, little-endian:
//   0  magic, 8 bytes          16  bytes of the whole message, u64    40  coordinates, u64
//   8  version, u16            24  generation, u64                    48  prefix, u64
//  10  bytes of a scalar, u8   32  round, u32                         56  rows, u64 for each rank
//  11  delta_values, u8        36  flags, u32                         ..  records, by ascending coordinates
//  12  ranks, u32                                                     ..  XXH3 of all that stands before, u64
//
// A record holds values of one block of 256 coordinates. Its first byte has two bits for the layout, one that says
// whether values are halves, and five for how many blocks after the previous record's its block is (0 for a block that
// several calls of encode share); 31 means that the rest of that number follows, seven bits a byte, least significant
// first. Then come, with halves, their exponent (i8), and the contents of the layout. An index counts from the block's
// first coordinate, one byte.
//   single  index, value
//   pairs   number of values less one (u8), indices, values
//   bitmap  32 bytes, a bit for each coordinate; values
//   run     first index, number of values less one (u8), values, zeros among them

namespace hogwild::detail::delta {

static_assert(std::endian::native == std::endian::little, "numbers are sent as they lie");

inline constexpr std::string_view delta_magic("\x89HWDLT\r\n", 8);
inline constexpr std::uint16_t delta_version = 1;
inline constexpr std::size_t length_at = 16, fixed_bytes = 56, digest_bytes = 8;
inline constexpr std::uint64_t most_coordinates = std::uint64_t{1} << 56;

enum class layout : unsigned { single, pairs, bitmap, run };
inline constexpr unsigned halves_bit = 4, skip_shift = 3;
inline constexpr std::uint64_t long_skip = 31;
inline constexpr std::size_t bitmap_bytes = delta_block_size / 8;

template <class T>
using bits_of = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;

template <class V>
V load(std::span<const std::byte> bytes, std::size_t at) {
  V value;
  std::memcpy(&value, bytes.subspan(at, sizeof value).data(), sizeof value);
  return value;
}

/// Whether it is a zero of either sign. By its bits: whether processors treat tiny numbers as zero depends on a mode
/// that differs from thread to thread.
template <std::floating_point T>
bool is_zero(T value) {
  return static_cast<bits_of<T>>(std::bit_cast<bits_of<T>>(value) << 1) == 0;
}

inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// A block with exponent e has magnitudes below 2^(e + 1); as halves they are below 2^15 and so cannot become infinite.
inline constexpr int top_of_halves = 14, least_exponent = -128, most_exponent = 126;

template <class T>
T from_half(half h, double unit) {
  return static_cast<T>(static_cast<double>(to_float(h)) * unit);
}

}  // namespace hogwild::detail::delta
