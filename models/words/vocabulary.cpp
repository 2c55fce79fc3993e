// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/vocabulary.hpp>

#include <algorithm>
#include <utility>

#include "words/word_table.hpp"

namespace hogwild {

vocabulary::vocabulary() : vocabulary(std::vector<counted_word>{}) {}

vocabulary::vocabulary(std::shared_ptr<const detail::word_table> words,
                       std::shared_ptr<const std::vector<std::uint64_t>> counts)
    : words_(std::move(words)), count_(std::move(counts)) {}

vocabulary::vocabulary(std::vector<counted_word> words) {
  std::ranges::sort(words, [](const counted_word& a, const counted_word& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  });
  *this = in_order(words);
}

vocabulary vocabulary::in_order(std::span<const counted_word> words) {
  const auto table = std::make_shared<detail::word_table>();
  const auto counts = std::make_shared<std::vector<std::uint64_t>>();
  counts->reserve(words.size());
  for (const counted_word& w : words) {
    table->insert(w.word);
    counts->push_back(w.count);
  }
  return {table, counts};
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
