// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/huffman_tree.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/detail/words/word_sampler.hpp>

namespace hogwild {

/// The tree of words with these counts, taken in single precision, as in saved models.
huffman_tree word_tree(std::span<const std::uint32_t> counts);

/// The outputs of windows: drawn words, or nodes on the path to the word in the middle. Never changed, so any number of
/// threads may use it.
class window_outputs {
 public:
  window_outputs(const window_model& m, const sparse_view& data) : window_outputs(m, occurrences(data)) {}

  /// The chance with which an occurrence of the word is kept.
  float keep(std::size_t word) const { return words_.keep(word); }

  /// The most outputs of a window.
  std::size_t most() const { return model_.hierarchical ? tree_.longest_path() : model_.negative + std::size_t{1}; }

  /// Replaces `outputs` by those of a window around `word`. Returns how many of them, the first ones, are positive; the
  /// others are negative. Among drawn words only the word itself is positive; among nodes those where its path goes to
  /// the heavier child. draw(j) returns 64 random bits, 1 <= j < model.draws().
  template <class Draw>
  std::size_t choose(std::uint32_t word, std::vector<std::uint32_t>& outputs, const Draw& draw) const {
    if (model_.hierarchical) return descend(word, outputs);
    outputs.assign(1, word);
    for (std::size_t j = 1; j <= model_.negative; ++j) {
      const std::uint32_t other = words_.draw(draw(j));
      if (other != word) outputs.push_back(other);
    }
    return 1;
  }

 private:
  window_outputs(const window_model& m, std::span<const std::uint32_t> counts)
      : model_(m), words_(counts, m.sample), tree_(m.hierarchical ? word_tree(counts) : huffman_tree()) {}

  std::size_t descend(std::uint32_t word, std::vector<std::uint32_t>& outputs) const {
    const std::span<const std::uint32_t> nodes = tree_.nodes(word);
    const std::span<const std::uint8_t> bits = tree_.bits(word);
    outputs.resize(nodes.size());
    std::size_t heavier = 0, lighter = nodes.size();
    for (std::size_t k = 0; k < nodes.size(); ++k) outputs[bits[k] == 0 ? heavier++ : --lighter] = nodes[k];
    return heavier;
  }

  window_model model_;
  word_sampler words_;
  huffman_tree tree_;
};

}  // namespace hogwild
