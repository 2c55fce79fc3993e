// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "words/word_table.hpp"

namespace hogwild::detail {

/// Finds words of questions among those of word vectors: as they are, else in lower case (A to Z only).
class word_lookup {
 public:
  explicit word_lookup(const std::vector<std::string>& words) {
    number_.reserve(words.size());
    for (std::uint32_t n = 0; n < words.size(); ++n)
      if (table_.insert(words[n]) == number_.size()) number_.push_back(n);
  }

  std::optional<std::uint32_t> find(std::string word) const {
    if (const auto found = find_as_is(word)) return found;
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return find_as_is(word);
  }

 private:
  std::optional<std::uint32_t> find_as_is(const std::string& word) const {
    const std::uint32_t found = table_.find(word);
    if (found == word_table::none) return std::nullopt;
    return number_[found];
  }

  word_table table_;
  std::vector<std::uint32_t> number_;  ///< of two equal words the first one counts
};

}  // namespace hogwild::detail
