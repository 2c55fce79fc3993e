// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <hogwild/dataset.hpp>

namespace hogwild {

/// How pairs of words are counted.
struct cooccurrence_options {
  std::size_t window = 10;               ///< words on each side that count, from 1 to 1000
  std::optional<std::size_t> threads{};  ///< > 0; default: as many as this process may use
  /// As for corpus_options: counts and rows that take more than `memory` bytes go to unnamed files in this folder, if
  /// it is not empty.
  std::filesystem::path scratch{};
  std::uint64_t memory = std::uint64_t{1} << 32;
};

/// The words that stand near each other in a corpus (formats/corpus.hpp), as ratings. Two words of a sentence that are
/// d words apart, d at most the window, count 1/d for both orders (Pennington, Socher, Manning, GloVe: global vectors
/// for word representation, 2014). A row is a word and another one in whose neighbourhood it stood, entries of value 1
/// in the columns `word` and `words + other`; its label is the natural logarithm of their count.
///
/// The order of rows is as good as random, and it and the counts are the same for any number of threads and any memory:
/// each 1/d is rounded to a multiple of 2^-20, and such numbers are summed exactly. Throws config_error for a window
/// out of range, input_error if no two words are neighbours, or more than 2^32 - 1 pairs are, or there are 2^31 words;
/// resource_error if there is no room.
sparse_dataset count_cooccurrences(const sparse_view& sentences, const cooccurrence_options& options);

}  // namespace hogwild
