// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild {

/// Words and a vector for each, as other programs read and write them.
struct word_vectors {
  std::size_t dimension = 0;         ///< numbers of a vector
  std::vector<std::string> words{};  ///< not empty, without blanks or newlines
  std::vector<float> values{};       ///< `dimension` numbers a word, finite

  /// The vector of a word.
  std::span<const float> row(std::size_t word) const { return std::span(values).subspan(word * dimension, dimension); }
  bool operator==(const word_vectors&) const = default;
};

/// The two formats of word2vec. Both begin with a line "WORDS DIMENSION"; each word follows with its numbers, one word
/// a line: as decimals, or as little-endian floats of 32 bits.
enum class vector_format { text, binary };

/// Binary if the name ends in .bin, else text.
vector_format vector_format_for(const std::filesystem::path& path);

/// The contents of such a file. Throws config_error if there are no words, or if words or numbers cannot be written in
/// this format.
std::string word_vector_bytes(const word_vectors& vectors, vector_format format);

/// Writes a file, which appears whole or not at all. Throws what word_vector_bytes() and atomic_file throw.
void save_word_vectors(const std::filesystem::path& path, const word_vectors& vectors, vector_format format);

/// Whether a file, plain or compressed, begins with the line of such a file, or, as GloVe writes text, with a word and
/// two or more numbers; false if it cannot be read. Not for standard input and other pipes, whose bytes would be
/// consumed: false for these, too.
bool begins_as_word_vectors(const std::string& path);

/// Reads either format, recognised by content, and text without the first line, as GloVe writes it; plain or compressed
/// with gzip, xz, zstd or bzip2. Throws input_error if the file cannot be read, and if its contents are not word
/// vectors, with the line or the byte of the fault.
word_vectors load_word_vectors(const std::string& path);
/// The same for plain bytes; `name` is used in messages.
word_vectors parse_word_vectors(std::string_view bytes, const std::string& name);

}  // namespace hogwild
