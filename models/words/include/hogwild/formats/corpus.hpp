// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/words/vocabulary.hpp>

namespace hogwild {

/// What a corpus is read with.
struct corpus_options {
  std::uint64_t min_count = 5;  ///< words that occur less often are left out
  /// The words of another corpus, to read a text as that one was read: columns and degrees are theirs, and words that
  /// are none of them are left out, which sparse_dataset::unknown_entries() counts; min_count does not matter then.
  std::optional<vocabulary> words{};
  std::size_t sentence = 1000;           ///< a line of more words is several sentences
  std::optional<std::size_t> threads{};  ///< > 0; default: as many as this process may use
  /// Rows of more bytes than `memory` go to a nameless file in this folder, which vanishes with the rows; empty: they
  /// stay in memory, whatever their size.
  std::filesystem::path scratch{};
  std::uint64_t memory = std::uint64_t{1} << 32;  ///< bytes that counting words may hold
};

/// A text as rows of words. A row is a sentence: its entries are the sentence's words in their order, a word's column
/// its position in the vocabulary, all values 1 and all labels 0. Other than in other data a column may occur twice in
/// a row. The degree of a column is how often its word occurs. Rows stand in the order of the text; those of which no
/// word was frequent enough are empty.
struct corpus {
  sparse_dataset rows;  ///< a row is a line, its entries are words
  vocabulary words;     ///< and how often each occurs
};

/// Reads a text of words between blanks, tabs and ends of lines, plain or compressed with gzip, xz, zstd or bzip2 (told
/// by content), or standard input ("-"). Words are bytes as they stand there: case and punctuation are the writer's
/// affair. The text is streamed twice, to count its words and to write the rows, with all threads; it may be of any
/// size, only standard input is held in memory.
///
/// The same text gives the same corpus, however many threads read it. Throws format_error (file:line:column) for a byte
/// 0 and for a word of more than 1000 bytes, input_error where the file cannot be read, changes meanwhile, or has no
/// word that is frequent enough, or is one of `words`; config_error for a minimal count or a sentence of 0.
corpus open_corpus(const std::string& path, const corpus_options& options = {});

/// The same from bytes in memory, plain or compressed; `name` is for messages.
corpus read_corpus(std::string_view text, const std::string& name, const corpus_options& options = {});

}  // namespace hogwild
