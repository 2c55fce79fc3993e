// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/vocabulary.hpp>

#include <algorithm>

#include "words/word_table.hpp"

namespace hogwild {

vocabulary::vocabulary() : vocabulary(std::vector<counted_word>{}) {}

vocabulary::vocabulary(std::vector<counted_word> words) {
  std::ranges::sort(words, [](const counted_word& a, const counted_word& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });
  const auto table = std::make_shared<detail::word_table>();
  const auto counts = std::make_shared<std::vector<std::uint64_t>>();
  counts->reserve(words.size());
  for (const counted_word& w : words) {
    table->insert(w.word);
    counts->push_back(w.count);
  }
  words_ = table;
  count_ = counts;
}

std::string_view vocabulary::word(std::size_t position) const {
  return words_->word(position);
}

std::optional<std::uint32_t> vocabulary::find(std::string_view word) const {
  const std::uint32_t number = words_->find(word);
  if (number == detail::word_table::none) return std::nullopt;
  return number;
}

}  // namespace hogwild
