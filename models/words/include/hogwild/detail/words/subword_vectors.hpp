// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/words/subwords.hpp>
#include <hogwild/detail/words/vocabulary.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

namespace hogwild {
namespace detail {

/// Converts between the own vectors of words and their inputs, which include those of their parts; the same for a model
/// without parts.
class word_parts {
 public:
  /// Throws config_error if the model was not made for these words.
  word_parts(const window_model& m, const vocabulary& words);

  /// Adds the vectors of a word's parts to its own one.
  void add(std::span<const float> parameters, std::size_t word, std::span<float> own) const;
  /// Replaces the input of a word, where the parameters should have its own vector, by that.
  void separate(std::size_t word, std::span<float> parameters) const;

 private:
  window_model model_;
  std::optional<subword_table> table_;
};

}  // namespace detail

/// Vectors of the parts of words, which give vectors to words that were not in the text. Nothing changes it, so any
/// number of threads may use it.
class subword_vectors {
 public:
  /// `values`: `dimension` numbers a part.
  subword_vectors(subword_table table, std::vector<float> values, std::size_t dimension)
      : table_(std::move(table)), values_(std::move(values)), dimension_(dimension) {}

  /// The vector of any word by its parts; nothing if none of them is known.
  std::optional<std::vector<float>> of(std::string_view word) const;
  const subword_table& table() const { return table_; }
  std::span<const float> row(std::size_t part) const {
    return std::span(values_).subspan(part * dimension_, dimension_);
  }

 private:
  subword_table table_;
  std::vector<float> values_;
  std::size_t dimension_;
};

/// The vectors of the parts of words in a saved model of words; nothing if it has none. Throws input_error if the model
/// is not valid.
std::optional<subword_vectors> subword_vectors_of(const saved_model& saved);

/// Vectors of words, and of parts if they have some.
struct known_words {
  word_vectors vectors{};
  std::optional<subword_vectors> parts{};

  /// The vector of a word that is none of `vectors`.
  std::optional<std::vector<float>> unseen(std::string_view word) const {
    return parts ? parts->of(word) : std::nullopt;
  }
};

/// Those of a saved model of words. Throws input_error for another one, and for one that is not valid; `source` is its
/// name in messages.
known_words words_in(const saved_model& saved, const std::string& source);
/// Whether a file, plain or compressed, begins as a model that fastText's program writes; false if it cannot be read,
/// and for pipes.
bool begins_as_fasttext(const std::string& path);

/// Reads word vectors, the inputs of a saved model of words, or a model of fastText's program, whichever the file
/// holds. `note` as for load_model(). Throws input_error for other files and what these throw.
known_words load_words(const std::string& path, const std::function<void(std::string_view)>& note);

}  // namespace hogwild
