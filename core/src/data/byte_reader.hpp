// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

enum class compression { none, gzip, xz, zstd, bzip2 };

/// Tells by the first bytes of a file; `head` may be shorter than any magic.
compression detect_compression(std::string_view head);

/// What tells one state of a file from another.
struct source_stamp {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< of contents, owner, mode or name: unlike modified_ns nobody can set it
  bool operator==(const source_stamp&) const = default;
  /// A change of the name or the mode alone changes no contents.
  bool same_contents(const source_stamp& other) const {
    return bytes == other.bytes && modified_ns == other.modified_ns;
  }
  /// Of both times, for the key of a cache.
  std::uint64_t times() const;
};

/// The stamp of a regular file; none for pipes and devices. Throws input_error where it is missing or a folder.
std::optional<source_stamp> stamp_of(const std::string& path);
/// The same of an open file; `name` is for the message.
std::optional<source_stamp> stamp_of(const unique_fd& fd, const std::string& name);

/// Bytes of a descriptor as they are, with the count of what was handed out. Files are read, not mapped: what somebody
/// else truncates meanwhile would end this process by a signal.
class raw_input {
 public:
  /// A file with a stamp is refused at its end where it was written to meanwhile.
  raw_input(unique_fd fd, std::string name, std::optional<source_stamp> stamp);
  /// Input from memory; `bytes` outlives this object.
  raw_input(std::string_view bytes, std::string name);

  const std::string& name() const { return name_; }
  /// The unread bytes at hand; reads on where there are fewer than `wanted`, so that less means the end of the input.
  /// Throws input_error where reading fails. `wanted` is at most 64 KiB.
  std::string_view peek(std::size_t wanted = 1);
  void skip(std::size_t bytes);
  /// Fills `room` with what comes next, past the buffer where it can. Less than its size means the end of the input.
  std::size_t read(std::span<char> room);
  std::size_t offset() const { return offset_; }  ///< bytes handed out so far

 private:
  std::size_t read_file(std::span<char> room) const;

  unique_fd fd_;
  std::string name_;
  std::optional<source_stamp> stamp_;
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
