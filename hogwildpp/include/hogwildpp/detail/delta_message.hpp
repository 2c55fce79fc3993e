// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/option_values.hpp>

// A message from a machine to its successor on the ring: the differences between its values and the successor's.
//
// A link is a stream of such messages. The sender keeps b, its copy of what the successor has; the receiver keeps p,
// its mirror of b; both begin equal. A message carries D = rounded(w - b) where it is not zero. The sender adds D to b,
// the receiver adds the same D to p, so that b and p stay equal to the bit, except for the sign of zeros. What rounding
// removed is still in w - b and travels with a later message: error feedback without a buffer for it.
//
// Nothing here waits, locks or uses a network. One thread at a time uses an encoder or decoder; nobody else writes the
// bytes and spans that are passed in.

namespace hogwild {

/// The header before the values. Fields for the ring are passed on without checks.
struct delta_header {
  static constexpr std::size_t most_ranks = 1024;

  delta_values values = delta_values::as_stored;
  std::uint64_t generation = 0;       ///< of the token
  std::uint32_t round = 0;            ///< of the run
  std::uint32_t flags = 0;            ///< defined by the sender
  std::uint64_t coordinates = 0;      ///< their number, at most 2^56: all coordinates that are sent are below
  std::uint64_t prefix = 0;           ///< how much of each group that is ordered by popularity the message covers
  std::vector<std::uint64_t> rows{};  ///< trained by each rank so far; at most most_ranks entries

  bool operator==(const delta_header&) const = default;
};

/// Coordinates that share one choice of layout; a block begins at a multiple of this.
inline constexpr std::size_t delta_block_size = 256;

/// The maximal length of a message, in bytes, for so many coordinates of `scalar_bytes` each, encoded in `pieces`
/// stretches. Calls of encode() that meet at a multiple of delta_block_size are one stretch.
constexpr std::size_t largest_delta_message(std::uint64_t coordinates, std::size_t scalar_bytes, std::size_t ranks,
                                            std::size_t pieces = 1) {
  // A stretch has parts in so many blocks, with at most 3 bytes before the values of each. (If there are more, because
  // skipped blocks must be counted, the skipped blocks have left room for them.)
  const std::size_t parts = coordinates / delta_block_size + 2 * pieces;
  return 64 + 8 * ranks + coordinates * scalar_bytes + 3 * parts;
}

/// Writes one message. Instantiated for float and double.
template <std::floating_point T>
class delta_encoder {
 public:
  /// Begins a message that replaces the contents of `message`; its memory is reused, and it outlives the encoder.
  /// Throws config_error if the header is out of range.
  delta_encoder(std::vector<std::byte>& message, const delta_header& header);

  /// Appends the nonzero values of the coordinates [first, first + delta.size()), and changes `delta` to what the
  /// receiver gets: values become rounded, or zero if rounding leaves nothing, and the sender has to add just these. A
  /// zero of either sign is not sent and stays as it is; infinities and NaNs are sent to the last bit. Returns how many
  /// values are sent: if none, nothing is to be added.
  ///
  /// Calls go by ascending coordinates without overlap; coordinates in between are not sent and cost nothing. Throws
  /// error (internal) if they do not, or leave the header's coordinates.
  ///
  /// Each block is written in the shortest of four ways; blocks of zeros cost at most ten bytes in a row, however many
  /// they are, so that calls may be as small as a block.
  std::size_t encode(std::uint64_t first, std::span<T> delta);

  /// Completes the message. Every decoder refuses a message without it.
  void finish();

 private:
  std::size_t encode_block(std::uint64_t first, std::span<T> delta);

  std::vector<std::byte>& message_;
  std::uint64_t coordinates_, next_ = 0, block_ = 0;
  bool halves_;
};

/// Values that the decoder found in one block: value[i] is that of coordinate first + index[i]. Indices ascend, no
/// value is zero, and there may be none; index.back() - index.front() + 1 == index.size() if the coordinates are
/// contiguous.
template <std::floating_point T>
struct delta_block {
  std::uint64_t first = 0;  ///< a multiple of delta_block_size
  std::span<const std::uint8_t> index;
  std::span<const T> value;
};

/// Checks that the message is whole (length, XXH3) and its header valid, and returns the header. Throws worker_error,
/// which calls the message `name` and says which byte is wrong.
delta_header read_delta_header(std::span<const std::byte> message, std::string_view name);

/// Reads one message. Whatever the bytes are, it reads only within them, allocates nothing by a length that they
/// contain, ends, and returns each coordinate at most once, ascending. Instantiated for float and double.
template <std::floating_point T>
class delta_decoder {
 public:
  /// Like read_delta_header(), and also throws worker_error if the message does not have so many coordinates of type T.
  /// After that, values can be wrong only if the sender's are. The bytes outlive the decoder.
  delta_decoder(std::span<const std::byte> message, std::uint64_t coordinates, std::string_view name = "the message");
  delta_decoder(const delta_decoder&) = delete;
  delta_decoder& operator=(const delta_decoder&) = delete;

  const delta_header& header() const { return header_; }

  /// The next block, whose spans are valid until the next call; none at the end. Throws worker_error if it is
  /// malformed.
  std::optional<delta_block<T>> next();

  /// Calls f(coordinate, value) for every remaining value; `coordinate` is a std::uint64_t. Throws like next(), after
  /// the calls for the values before the fault.
  template <class F>
  void for_each(F&& f) {
    while (const auto block = next())
      for (std::size_t i = 0; i < block->index.size(); ++i) f(block->first + block->index[i], block->value[i]);
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view why) const;
  std::span<const std::byte> take(std::size_t count);
  std::uint64_t take_number();
  void take_values(std::size_t count, bool halves, int exponent);

  delta_header header_;
  std::span<const std::byte> message_;
  std::string name_;
  std::size_t at_;
  std::uint64_t next_ = 0, block_ = 0;
  std::array<std::uint8_t, delta_block_size> index_{};
  std::array<T, delta_block_size> value_{};
};

}  // namespace hogwild
