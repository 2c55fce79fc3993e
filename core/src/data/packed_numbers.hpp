// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hogwild::detail {

// Numbers in as few bits as their neighbours allow. They come in blocks of 512, a sequence of bits without a gap:
//
//   6 bits width, 6 base width, 6 width of an exception, 10 number of exceptions
//   base            a lower bound of the block's numbers, except exceptions
//   512 x width     each number minus base; 0 for an exception; fewer in the last block
//   exceptions x    9 bits place in the block, then the number itself
//
// The last block is followed by zeros up to the next multiple of 64 bits and 64 zeros more, so that a reader may always
// load eight bytes. A few long rows among short ones, or a few irregular differences, thus cost bits only for
// themselves. (A general compressor would take about as few bytes, and decompress at a fraction of the speed.)

inline constexpr std::size_t packed_block = 512;
inline constexpr unsigned widest_packed = 56;  ///< bits of a number: eight bytes hold it wherever it begins in the
                                               ///< first

/// An upper bound of the count of numbers in this many bytes: each block has a header.
constexpr std::uint64_t most_packed(std::uint64_t bytes) {
  return (bytes * 8 / 28 + 1) * packed_block;
}

class number_packer {
 public:
  /// `number` is below 2^56.
  void add(std::uint64_t number) {
    block_[count_++] = number;
    if (count_ == packed_block) write_block();
  }
  std::vector<std::uint64_t> finish() &&;

 private:
  void write_block();

  std::array<std::uint64_t, packed_block> block_{};
  std::size_t count_ = 0;
  std::vector<std::uint64_t> words_;
  std::uint64_t bits_ = 0;  ///< written to words_
};

class number_unpacker {
 public:
  explicit number_unpacker(std::span<const std::byte> packed) : packed_(packed) {}

  /// Reads the next block: `numbers` has packed_block elements, or fewer in the last block. False if the bytes are too
  /// few or invalid. The numbers are below 2^57.
  bool next(std::span<std::uint64_t> numbers);
  bool at_end() const { return (position_ + 63) / 64 * 8 + 8 == packed_.size(); }

 private:
  bool has(std::uint64_t bits) const { return packed_.size() >= 8 && position_ + bits <= (packed_.size() - 8) * 8; }

  std::span<const std::byte> packed_;
  std::uint64_t position_ = 0;  ///< in bits
};

/// Passes `count` numbers to take(first, block of numbers), which returns whether they are valid. False if they are
/// not, or if the bytes do not hold exactly this many numbers.
template <class Take>
bool unpack_numbers(std::span<const std::byte> packed, std::size_t count, Take&& take) {
  number_unpacker from(packed);
  std::array<std::uint64_t, packed_block> block;
  for (std::size_t first = 0; first < count; first += packed_block) {
    const std::span numbers = std::span(block).first(std::min(packed_block, count - first));
    if (!from.next(numbers) || !take(first, std::span<const std::uint64_t>(numbers))) return false;
  }
  return from.at_end();
}

/// Packs numbers by their differences, of which small ones of either sign take few bits.
std::vector<std::uint64_t> pack_differences(std::span<const std::uint32_t> numbers);
/// Nothing if the bytes are not `count` numbers.
std::optional<std::vector<std::uint32_t>> unpack_differences(std::span<const std::byte> packed, std::size_t count);

}  // namespace hogwild::detail
