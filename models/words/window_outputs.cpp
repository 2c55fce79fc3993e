// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/window_outputs.hpp>

#include <algorithm>

namespace hogwild {

huffman_tree word_tree(std::span<const std::uint32_t> counts) {
  std::vector<std::uint64_t> weights(counts.size());
  std::ranges::transform(counts, weights.begin(),
                         [](std::uint32_t n) { return static_cast<std::uint64_t>(static_cast<float>(n)); });
  return huffman_tree(weights);
}

}  // namespace hogwild
