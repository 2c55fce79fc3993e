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

// What a machine tells its successor on the ring: by how much its values differ from what the successor believes.
//
// A link is a stream of such messages. The sender keeps b, what its successor believes; the receiver keeps p, its
// mirror of b; both begin equal. A message carries D = rounded(w - b) where it is not zero. The sender adds D to b, the
// receiver adds the same D to p, so that b and p stay equal, bit for bit but for the sign of zeros, and what rounding
// took away is still in w - b and travels with a later message: error feedback without a buffer for it.
//
// Nothing here waits, locks or knows of a network. An encoder or decoder is used by one thread at a time; bytes and
// spans that are passed in are written by nobody else meanwhile.

namespace hogwild {

/// What stands before the values. Numbers that concern the ring are carried, not looked at.
struct delta_header {
  static constexpr std::size_t most_ranks = 1024;

  delta_values values = delta_values::as_stored;
  std::uint64_t generation = 0;       ///< of the token
  std::uint32_t round = 0;            ///< of the run
  std::uint32_t flags = 0;            ///< their meaning is the sender's
  std::uint64_t coordinates = 0;      ///< how many there are, at most 2^56: all that is sent is below
  std::uint64_t prefix = 0;           ///< what the message covers of each group that is ordered by popularity
  std::vector<std::uint64_t> rows{};  ///< that each rank has trained so far; at most most_ranks of them

  bool operator==(const delta_header&) const = default;
};

/// Coordinates that share one choice of how they are written; a block begins at a multiple of it.
inline constexpr std::size_t delta_block_size = 256;

/// No message is longer, in bytes, for so many coordinates of `scalar_bytes` each, encoded as `pieces` stretches. Calls
/// of encode() that meet at a multiple of delta_block_size are one stretch.
constexpr std::size_t largest_delta_message(std::uint64_t coordinates, std::size_t scalar_bytes, std::size_t ranks,
                                            std::size_t pieces = 1) {
  // A stretch has a part in so many blocks, and at most 3 bytes stand before the values of each. (Where more do, to
  // tell how many blocks were skipped, the skipped ones have left room.)
  const std::size_t parts = coordinates / delta_block_size + 2 * pieces;
  return 64 + 8 * ranks + coordinates * scalar_bytes + 3 * parts;
}

/// Writes one message. Instantiated for float and double.
template <std::floating_point T>
class delta_encoder {
 public:
  /// Begins a message in place of what `message` holds; its memory is used again, and it outlives the encoder. Throws
  /// config_error where the header is out of range.
  delta_encoder(std::vector<std::byte>& message, const delta_header& header);

  /// Appends what is not zero among the coordinates [first, first + delta.size()), and makes `delta` what the receiver
  /// gets: values become rounded, or zero where rounding leaves nothing, and the sender is to add just these. A zero of
  /// either sign is not sent and stays as it is; infinities and NaNs are sent to the last bit. Returns how many values
  /// are sent: where it is none, nothing is to be added.
  ///
  /// Calls go by ascending coordinates without overlap; what lies between them is not sent and costs nothing. Throws
  /// error (internal) where they do not, or leave the header's coordinates.
  ///
  /// Each block is written in the shortest of four ways; blocks of zeros cost at most ten bytes in a row, however many
  /// they are, so that calls may be as small as a block.
  std::size_t encode(std::uint64_t first, std::span<T> delta);

  /// Completes the message. A message without it is refused by every decoder.
  void finish();

 private:
  std::size_t encode_block(std::uint64_t first, std::span<T> delta);

  std::vector<std::byte>& message_;
  std::uint64_t coordinates_, next_ = 0, block_ = 0;
  bool halves_;
};

/// Values that the decoder found in one block: value[i] is of coordinate first + index[i]. Indices ascend, no value is
/// zero, and there may be none; index.back() - index.front() + 1 == index.size() where the values lie side by side.
template <std::floating_point T>
struct delta_block {
  std::uint64_t first = 0;  ///< a multiple of delta_block_size
  std::span<const std::uint8_t> index;
  std::span<const T> value;
};

/// Checks that the message is whole (length, XXH3) and its header sound, and returns it. Throws worker_error, which
/// calls the message `name` and says which byte is wrong.
delta_header read_delta_header(std::span<const std::byte> message, std::string_view name);

/// Reads one message. Whatever the bytes are, it reads within them, allocates nothing by a length that they tell, ends,
/// and hands out each coordinate once at most, ascending. Instantiated for float and double.
template <std::floating_point T>
class delta_decoder {
 public:
  /// Like read_delta_header(), and throws worker_error as well where the message is not of so many coordinates of type
  /// T. After that, values can be wrong only where the sender is. The bytes outlive the decoder.
  delta_decoder(std::span<const std::byte> message, std::uint64_t coordinates, std::string_view name = "the message");
  delta_decoder(const delta_decoder&) = delete;
  delta_decoder& operator=(const delta_decoder&) = delete;

  const delta_header& header() const { return header_; }

  /// The next block, whose spans hold until the next call; none at the end. Throws worker_error where it is malformed.
  std::optional<delta_block<T>> next();

  /// Calls f(coordinate, value) for every value that is left; `coordinate` is a std::uint64_t. Throws like next(), with
  /// what came before handed out.
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
