// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/words/subword_vectors.hpp>

namespace hogwild::detail {

inline constexpr std::string_view fasttext_end_of_line = "</s>";  ///< a word without parts

/// Whether bytes begin as a model of fastText's program does, NAME.bin.
bool begins_as_fasttext(std::string_view bytes);

/// Reads the words of such a model, and those buckets that parts of its words have, since others were never trained:
/// version 12, with matrices of floats. A word's vector is the mean of its own and those of its parts, as fastText has
/// it. Throws input_error for bytes that are no such
/// model, and for a quantised one; `name` is used in messages.
known_words parse_fasttext(std::string_view bytes, const std::string& name);

/// A model as fastText's program writes it. A row has as many numbers as `dimension` says.
struct fasttext_model {
  enum class kind : std::int32_t { cbow = 1, skip_gram, classifier };
  enum class loss : std::int32_t { negative = 2, softmax, one_vs_rest };

  std::int32_t dimension = 0, window = 5, least_count = 1, negatives = 5, word_ngrams = 1;
  loss by = loss::negative;
  kind of = kind::skip_gram;
  std::int32_t buckets = 0, least = 0, most = 0;  ///< characters of a part
  double sample = 1e-4;
  std::vector<std::string> words{}, labels{};
  std::vector<float> rows{};                                               ///< of words
  std::vector<std::pair<std::uint32_t, std::span<const float>>> filled{};  ///< ascending; other buckets have zeros
  std::vector<float> outputs{};                                            ///< of words, or of labels
};

/// Calls write() with the bytes of such a file, some at a time: buckets may be larger than the memory.
void write_fasttext(const fasttext_model& model, const std::function<void(std::span<const std::byte>)>& write);

}  // namespace hogwild::detail
