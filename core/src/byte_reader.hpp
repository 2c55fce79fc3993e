// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unique_fd.hpp"

namespace hogwild::detail {

enum class compression { none, gzip, xz, zstd, bzip2 };

/// Tells by the first bytes of a file; `head` may be shorter than any magic.
compression detect_compression(std::string_view head);

/// Bytes of a descriptor as they are, with the count of what was handed out.
class raw_input {
 public:
  raw_input(unique_fd fd, std::string name);
  /// Input from memory; `bytes` outlives this object.
  raw_input(std::string_view bytes, std::string name);

  const std::string& name() const { return name_; }
  /// The unread bytes at hand; reads on where there are fewer than `wanted`, so that less means the end of the input.
  /// Throws input_error where reading fails. `wanted` is at most 64 KiB.
  std::string_view peek(std::size_t wanted = 1);
  void skip(std::size_t bytes);
  std::size_t offset() const { return offset_; }  ///< bytes handed out so far

 private:
  unique_fd fd_;
  std::string name_;
  std::vector<char> buffer_;
  std::string_view unread_;
  std::size_t offset_ = 0;
};

/// Unpacked bytes. Concatenated members, streams or frames are read to the end.
class byte_reader {
 public:
  virtual ~byte_reader() = default;
  /// Fills `room` (not empty) as far as the input goes: less than its size means the end.
  /// Throws input_error naming file and byte offset where the archive is damaged or truncated.
  virtual std::size_t read(std::span<char> room) = 0;
};

std::unique_ptr<byte_reader> make_byte_reader(std::unique_ptr<raw_input> input, compression kind);

}  // namespace hogwild::detail
