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

/// Recognises the compression by the first bytes of a file; `head` may be shorter than any magic.
compression detect_compression(std::string_view head);

/// Distinguishes states of a file.
struct source_stamp {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< of contents, owner, mode or name: unlike modified_ns nobody can set it
  bool operator==(const source_stamp&) const = default;
  /// A change of only the name or the mode does not change contents.
  bool same_contents(const source_stamp& other) const {
    return bytes == other.bytes && modified_ns == other.modified_ns;
  }
  /// A digest of both times, for the key of a cache.
  std::uint64_t times() const;
};

/// The stamp of a regular file; none for pipes and devices. Throws input_error if it is missing or a folder.
std::optional<source_stamp> stamp_of(const std::string& path);
/// The same for an open file; `name` is used in messages.
std::optional<source_stamp> stamp_of(const unique_fd& fd, const std::string& name);

/// The bytes of a descriptor, and the count of those handed out. Files are read, not mapped: if another process
/// truncated a mapped file, a signal would end this process.
class raw_input {
 public:
  /// If a file with a stamp has changed meanwhile, reading its end throws.
  raw_input(unique_fd fd, std::string name, std::optional<source_stamp> stamp);
  /// Input from memory, which outlives this object.
  raw_input(std::string_view bytes, std::string name);

  const std::string& name() const { return name_; }
  /// The unread bytes in the buffer, after reading more if there are fewer than `wanted`: fewer mean the end of the
  /// input. Throws input_error if reading fails. `wanted` is at most 64 KiB.
  std::string_view peek(std::size_t wanted = 1);
  void skip(std::size_t bytes);
  /// Fills `room` with the next bytes, without the buffer if possible. Fewer than its size mean the end of the input.
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

/// Decompressed bytes. Concatenated members, streams or frames are read to the end.
class byte_reader {
 public:
  virtual ~byte_reader() = default;
  /// Fills `room` (not empty) as far as the input goes: fewer bytes mean the end. Throws input_error, which names file
  /// and byte offset, if the archive is damaged or truncated.
  virtual std::size_t read(std::span<char> room) = 0;
};

std::unique_ptr<byte_reader> make_byte_reader(std::unique_ptr<raw_input> input, compression kind);
std::unique_ptr<byte_reader> make_gzip_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_xz_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_zstd_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_bzip2_reader(std::unique_ptr<raw_input> input);

}  // namespace hogwild::detail
