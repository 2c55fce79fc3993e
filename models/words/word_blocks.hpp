// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/byte_reader.hpp"

namespace hogwild::detail {

/// The most bytes of a word; longer ones show that the file is not text.
inline constexpr std::size_t longest_word = 1000;

/// Cuts bytes into blocks of whole words, however long the lines are. One thread at a time may call next().
class word_blocks {
 public:
  static constexpr std::size_t default_block_bytes = std::size_t{1} << 21;

  explicit word_blocks(std::unique_ptr<byte_reader> bytes, std::size_t block_bytes = default_block_bytes)
      : bytes_(std::move(bytes)), block_bytes_(block_bytes) {}

  /// The next block in order; nothing at the end. A block ends after a blank or with the text; a word that is too long
  /// ends with the block. Throws what the reader throws.
  std::optional<std::string> next();

 private:
  std::unique_ptr<byte_reader> bytes_;
  std::size_t block_bytes_;
  std::string carry_;
  bool ended_ = false;
};

/// A fault in a text, and its byte.
struct text_fault {
  std::size_t at;
  const char* what;
};

enum class letter : std::uint8_t { word, blank, line_end, nul };

inline constexpr auto letters = [] {
  std::array<letter, 256> kind{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) kind[static_cast<unsigned char>(c)] = letter::blank;
  kind['\n'] = letter::line_end;
  kind[0] = letter::nul;
  return kind;
}();

inline letter letter_of(char c) {
  return letters[static_cast<unsigned char>(c)];
}

/// Calls on_word(word) for each word and on_line_end() for each newline, in order; stops at a fault.
template <class OnWord, class OnLineEnd>
std::optional<text_fault> scan_words(std::string_view text, const OnWord& on_word, const OnLineEnd& on_line_end) {
  for (std::size_t at = 0; at < text.size();) {
    const letter kind = letter_of(text[at]);
    if (kind == letter::nul)
      return text_fault{at, "a byte 0 stands in the text; is this the right file, and in an encoding without them?"};
    if (kind != letter::word) {
      if (kind == letter::line_end) on_line_end();
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && letter_of(text[at]) == letter::word) ++at;
    if (at - begin > longest_word)
      return text_fault{begin, "a word of more than 1000 bytes begins here; is this a text?"};
    on_word(text.substr(begin, at - begin));
  }
  return std::nullopt;
}

}  // namespace hogwild::detail
