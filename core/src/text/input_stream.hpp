// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/byte_reader.hpp"

namespace hogwild::detail {

/// Complete lines of the input: never empty, ends with a newline (added to a last line without one), followed by
/// `text_padding` readable bytes. Valid as long as `owner`.
struct text_block {
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// Cuts text into blocks of complete lines. One thread at a time may call next().
class input_stream {
 public:
  static constexpr std::size_t default_block_bytes = std::size_t{1} << 20;
  static constexpr std::size_t default_longest_line = std::size_t{1} << 30;  // places in a block have 32 bits
  static constexpr std::size_t longest_record = std::size_t{1} << 24;        ///< where fields may contain line ends

  virtual ~input_stream() = default;
  /// The next block in order, of about the requested size unless a line is longer; nothing at the end. Throws
  /// input_error if the file cannot be read or changes meanwhile, its archive is damaged or truncated, or a line is
  /// longer than allowed. A line longer than a block is refused as soon as it cannot be a line of data: if it has a
  /// byte 0, or a field of more than `longest_field` bytes.
  virtual std::optional<text_block> next() = 0;

  const std::string& name() const { return name_; }
  /// Empty if the input is not a regular file, so that it cannot be recognised later.
  const std::optional<source_stamp>& stamp() const { return stamp_; }

 protected:
  input_stream(std::string name, std::optional<source_stamp> stamp) : name_(std::move(name)), stamp_(stamp) {}

 private:
  std::string name_;
  std::optional<source_stamp> stamp_;
};

/// text: a byte order mark is skipped, and input that begins like a known binary file is refused
/// (text/known_kinds.hpp); bytes: taken unchanged.
enum class content { text, bytes };

/// Opens text in a path, or standard input for "-". Lines may have up to `longest_line` bytes, including their
/// newlines. Throws input_error.
std::unique_ptr<input_stream> open_input(const std::string& path,
                                         std::size_t block_bytes = input_stream::default_block_bytes,
                                         std::size_t longest_line = input_stream::default_longest_line);
/// The way in which text is cut into blocks. `quoted`: a block does not end at a newline between two quotation marks,
/// so that a block holds whole records of a table; a record has at most longest_record bytes.
struct cutting {
  std::size_t block_bytes = input_stream::default_block_bytes;
  bool quoted = false;
};
std::unique_ptr<input_stream> open_input(const std::string& path, const cutting& how);

/// The same for bytes in memory, which outlive the stream.
std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name,
                                                std::size_t block_bytes = input_stream::default_block_bytes,
                                                std::size_t longest_line = input_stream::default_longest_line);
std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name, const cutting& how);

/// Checks the beginning of input while more is to come: `all` holds the bytes so far, and the part before `from` was
/// checked earlier. Throws if this cannot be the expected input, so that an endless stream is not read until memory is
/// full.
using early_look = std::function<void(std::string_view all, std::size_t from)>;

/// Refuses bytes that no data text has: a byte 0, or more than `longest_field` bytes without a blank, tab, newline,
/// comma or colon. `name` is used in messages.
inline constexpr std::size_t longest_field = std::size_t{1} << 20;
early_look text_look(const std::string& name);

/// All bytes of a path, or of standard input for "-", decompressed: for input that is processed as a whole. `look`
/// first checks `default_block_bytes` of it. Throws input_error as streams do, and if there are more than `most` bytes;
/// also what `look` throws.
std::string read_unpacked(const std::string& path, const early_look& look, content kind = content::text,
                          std::size_t most = std::size_t{1} << 36);

/// The first bytes of a path, decompressed: `bytes`, or all if there are fewer.
std::string read_head(const std::string& path, std::size_t bytes);

/// The decompressed bytes of a path, or of standard input for "-", as a stream. Throws input_error.
std::unique_ptr<byte_reader> open_bytes(const std::string& path, content kind = content::bytes);

/// The same for text in memory, which outlives the reader.
std::unique_ptr<byte_reader> open_memory_text(std::string_view text, std::string name);

/// Appends to `all` until it has `most` bytes or the input ends. Throws as the reader does.
void read_on(byte_reader& input, std::string& all, std::size_t most, const early_look& look = {});

}  // namespace hogwild::detail
