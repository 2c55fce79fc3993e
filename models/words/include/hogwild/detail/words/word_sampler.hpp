// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/alias_table.hpp>

namespace hogwild {

/// How often the column at each position occurs: the data's own count, or one made here.
std::vector<std::uint32_t> occurrences(const sparse_view& data);

/// Decides which words of a text to leave out, and draws negative samples, by how often each word occurs. Never
/// changed, so any number of threads may use it.
class word_sampler {
 public:
  /// `sample`: a word that makes up a fraction f > `sample` of the text keeps about sqrt(sample / f) of its
  /// occurrences; 0: all are kept.
  word_sampler(std::span<const std::uint32_t> counts, double sample);

  /// The chance with which an occurrence of the word is kept: sqrt(sample / f) + sample / f, at most 1.
  float keep(std::size_t word) const { return keep_[word]; }

  /// Draws a word with 64 random bits, in proportion to count^(3/4).
  std::uint32_t draw(std::uint64_t bits) const { return draw_from(table_, bits); }

  /// The tables behind the two functions: a chance for each word, and as many columns.
  std::span<const float> chances() const { return keep_; }
  std::span<const alias_column> columns() const { return table_; }

 private:
  std::vector<float> keep_;
  std::vector<alias_column> table_;
};

}  // namespace hogwild
