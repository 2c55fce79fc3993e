// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/byte_reader.hpp"

namespace hogwild::detail {

/// Complete lines of the input: never empty, ends with a newline (a last line without one is completed), and
/// `text_padding` bytes behind it are readable. Valid as long as `owner`.
struct text_block {
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// Cuts text into blocks of complete lines. One thread at a time may call next().
class input_stream {
 public:
  static constexpr std::size_t default_block_bytes = std::size_t{1} << 20;
  static constexpr std::size_t default_longest_line = std::size_t{1} << 30;  // places in a block have 32 bits

  virtual ~input_stream() = default;
  /// The next block in order, of about the size asked for unless a line is longer; none at the end.
  /// Throws input_error where the file cannot be read or is written to meanwhile, its archive is damaged or
  /// truncated, or a line is longer than the stream takes. A line longer than a block is refused as soon as it cannot
  /// be one of data: with a byte 0 in it, or a field of more than `longest_field` bytes.
  virtual std::optional<text_block> next() = 0;

  const std::string& name() const { return name_; }
  /// None where the input is no regular file, so that nothing can be remembered about it.
  const std::optional<source_stamp>& stamp() const { return stamp_; }

 protected:
  input_stream(std::string name, std::optional<source_stamp> stamp) : name_(std::move(name)), stamp_(stamp) {}

 private:
  std::string name_;
  std::optional<source_stamp> stamp_;
};

/// Whether input is text, whose byte order mark is skipped and which is refused where it begins as a binary file that
/// is known (formats/require_kind.hpp), or bytes as they are.
enum class content { text, bytes };

/// Opens text in a path, or in standard input for "-". Lines of up to `longest_line` bytes, their newlines included,
/// are taken. Throws input_error.
std::unique_ptr<input_stream> open_input(const std::string& path,
                                         std::size_t block_bytes = input_stream::default_block_bytes,
                                         std::size_t longest_line = input_stream::default_longest_line);

/// The same from bytes in memory, which outlive the stream.
std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name,
                                                std::size_t block_bytes = input_stream::default_block_bytes,
                                                std::size_t longest_line = input_stream::default_longest_line);

/// Looks at input of which more is to come: at all that is there, of which what lies before `from` was looked at
/// before. It throws where that cannot be what it should be, so that a stream without end is not read until memory is
/// full.
using early_look = std::function<void(std::string_view all, std::size_t from)>;

/// Refuses what no text of data has: a byte 0, and more than `longest_field` bytes without a blank, tab, newline, comma
/// or colon. `name` is for the message.
inline constexpr std::size_t longest_field = std::size_t{1} << 20;
early_look text_look(const std::string& name);

/// All bytes of a path, or of standard input for "-", unpacked: for input that is taken as a whole. The first look is
/// at `default_block_bytes` of it. Throws input_error as streams do, and where there are more than `most` bytes; what
/// `look` throws.
std::string read_unpacked(const std::string& path, const early_look& look, content kind = content::text,
                          std::size_t most = std::size_t{1} << 36);

/// The first bytes of a path, unpacked: `bytes`, or all where there are fewer.
std::string read_head(const std::string& path, std::size_t bytes);

/// The unpacked bytes of a path, or of standard input for "-", as they come. Throws input_error.
std::unique_ptr<byte_reader> open_bytes(const std::string& path, content kind = content::bytes);

/// The same of text in memory, which outlives the reader.
std::unique_ptr<byte_reader> open_memory_text(std::string_view text, std::string name);

/// Reads on behind what `all` has, to `most` bytes or the end. Throws as the reader does.
void read_on(byte_reader& input, std::string& all, std::size_t most, const early_look& look = {});

}  // namespace hogwild::detail
