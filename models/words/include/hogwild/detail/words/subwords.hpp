// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/words/vocabulary.hpp>

namespace hogwild {

class model_options;

/// The parts of words that have vectors: runs of characters of "<word>", in buckets by their hash, as in fastText
/// (Bojanowski and others, Enriching word vectors with subword information, 2017).
struct subword_shape {
  std::uint32_t least = 0, most = 0;  ///< characters of a part; 0: words have none
  std::uint32_t buckets = 2'000'000;  ///< parts of one bucket are the same

  static constexpr std::uint32_t most_buckets = 1u << 26;
  bool any() const { return most > 0; }
  bool operator==(const subword_shape&) const = default;
};

/// Reads "MIN-MAX", or "none". Returns what is wrong with the text, or an empty one.
std::string read_subwords(std::string_view text, subword_shape& shape);
/// What --subwords and --buckets say; the texts have passed their options' faults.
subword_shape subwords_in(const model_options& options);

/// The parts of the words of a vocabulary. They are numbered in the order in which its words have them, so that the
/// words determine the numbers; buckets without a part have none.
class subword_table {
 public:
  subword_table(const vocabulary& words, const subword_shape& shape);

  /// Those of all words, valid as long as this.
  column_parts parts() const { return {count_, start_, number_}; }
  /// The numbers of those parts of any word that some word has.
  std::vector<std::uint32_t> of(std::string_view word) const;
  /// The number of a bucket's parts, or none.
  std::uint32_t number_of(std::uint32_t bucket) const { return of_bucket_[bucket]; }
  std::size_t size() const { return count_; }
  const subword_shape& shape() const { return shape_; }

  static constexpr std::uint32_t none = 0xffffffffu;

 private:
  subword_shape shape_;
  std::vector<std::uint32_t> of_bucket_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> start_{0}, number_;
};

}  // namespace hogwild
