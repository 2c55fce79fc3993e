// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/words/subwords.hpp>
#include <hogwild/detail/words/vocabulary.hpp>

namespace hogwild {

/// How a corpus is read.
struct corpus_options {
  std::uint64_t min_count = 5;  ///< words that occur less often are left out
  /// The words of another corpus, to read a text like that one: columns and degrees are taken from them. Other words
  /// are left out, and sparse_dataset::unknown_entries() counts them; min_count is ignored.
  std::optional<vocabulary> words{};
  /// Parts of words that the rows hold beside the words, for models whose words have vectors of their parts, too.
  subword_shape subwords{};
  std::size_t sentence = 1000;  ///< longer lines are split into sentences of so many words
  /// Row k is line k of the text: lines are not split, and those without words are rows, too.
  bool documents = false;
  std::optional<std::size_t> threads{};  ///< > 0; default: as many as this process may use
  /// Folder of an unnamed file for rows of more than `memory` bytes, which vanishes with the rows; empty: they stay in
  /// memory, whatever their size.
  std::filesystem::path scratch{};
  std::uint64_t memory = std::uint64_t{1} << 32;  ///< the most bytes of rows in memory, see `scratch`
};

/// A text as rows of words. A row is a sentence: its entries are the sentence's words in their order, a word's column
/// is its position in the vocabulary, all values are 1 and all labels 0. Unlike in other data, a column may occur twice
/// in a row. The degree of a column is the number of occurrences of its word. Rows are in the order of the text; those
/// without a frequent enough word are empty.
struct corpus {
  sparse_dataset rows;  ///< a row is a sentence, its entries are words
  vocabulary words;     ///< and the number of occurrences of each
};

/// Reads a text of words between blanks, tabs and ends of lines, plain or compressed with gzip, xz, zstd or bzip2
/// (recognised by content), or standard input ("-"). Words are taken byte for byte; case and punctuation are not
/// normalised. The text is streamed twice, to count its words and to write the rows, with all threads. It may be of any
/// size; only standard input is held in memory.
///
/// The same text gives the same corpus, however many threads read it. Throws format_error (file:line:column) for a byte
/// 0 and for a word of more than 1000 bytes. Throws input_error if the file cannot be read, changes meanwhile, or has
/// no word that is frequent enough, or none of `words`. Throws config_error for a minimal count or a sentence of 0.
corpus open_corpus(const std::string& path, const corpus_options& options = {});

/// The same for bytes in memory, plain or compressed; `name` is used in messages.
corpus read_corpus(std::string_view text, const std::string& name, const corpus_options& options = {});

}  // namespace hogwild
