// SPDX-License-Identifier: Apache-2.0
#include "words/word_blocks.hpp"

#include <utility>

namespace hogwild::detail {

std::optional<std::string> word_blocks::next() {
  if (ended_) return std::nullopt;
  std::string block = std::exchange(carry_, {});
  for (;;) {
    const std::size_t have = block.size();
    block.resize(have + block_bytes_);
    const std::size_t got = bytes_->read({block.data() + have, block_bytes_});
    block.resize(have + got);
    ended_ = got < block_bytes_;
    if (ended_ && block.empty()) return std::nullopt;
    if (ended_) return block;
    std::size_t end = block.size();
    while (end > 0 && block.size() - end <= longest_word && letter_of(block[end - 1]) == letter::word) --end;
    if (end > 0 && letter_of(block[end - 1]) != letter::word) {
      carry_.assign(block, end);
      block.resize(end);
      return block;
    }
    if (block.size() - end > longest_word) return block;
  }
}

}  // namespace hogwild::detail
