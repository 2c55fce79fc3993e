// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild {

/// Words and a vector for each, as other programs exchange them.
struct word_vectors {
  std::size_t dimension = 0;         ///< numbers of a vector
  std::vector<std::string> words{};  ///< not empty, without blanks and ends of lines
  std::vector<float> values{};       ///< `dimension` numbers a word, finite

  /// The vector of a word.
  std::span<const float> row(std::size_t word) const { return std::span(values).subspan(word * dimension, dimension); }
  bool operator==(const word_vectors&) const = default;
};

/// The two formats of word2vec. Both begin with a line "WORDS DIMENSION"; then a word a line, its numbers behind it:
/// as decimals, or as little-endian floats of 32 bits.
enum class vector_format { text, binary };

/// Binary where the name ends in .bin, else text.
vector_format vector_format_for(const std::filesystem::path& path);

/// What a file of them holds. Throws config_error where words or numbers cannot stand in such a file, or there are
/// none.
std::string word_vector_bytes(const word_vectors& vectors, vector_format format);

/// Writes a file, which appears whole or not at all. Throws as word_vector_bytes() and atomic_file do.
void save_word_vectors(const std::filesystem::path& path, const word_vectors& vectors, vector_format format);

/// Reads either format, told by content; plain or compressed with gzip, xz, zstd or bzip2. Throws input_error where the
/// file cannot be read, and for contents that are no word vectors, with the line or the byte where they end to be.
word_vectors load_word_vectors(const std::string& path);
/// The same of plain bytes; `name` is for messages.
word_vectors parse_word_vectors(std::string_view bytes, const std::string& name);

}  // namespace hogwild
