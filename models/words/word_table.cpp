// SPDX-License-Identifier: Apache-2.0
#include "words/word_table.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

std::uint64_t hash_of(std::string_view word) {
  return XXH3_64bits(word.data(), word.size());
}

// The high bits distinguish words, the low ones give the place to search.
std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

std::size_t word_table::place_of(std::string_view wanted, std::uint64_t hash) const {
  const std::size_t last = slots_.size() - 1;
  for (std::size_t at = hash & last;; at = (at + 1) & last) {
    const slot& s = slots_[at];
    if (s.number == none || (s.hash == tag_of(hash) && word(s.number) == wanted)) return at;
  }
}

std::uint32_t word_table::insert(std::string_view word) {
  if (2 * end_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(word);
  slot& s = slots_[place_of(word, hash)];
  if (s.number != none) return s.number;
  if (end_.size() == none) throw input_error("there are more than 4294967295 different words");
  s = {tag_of(hash), static_cast<std::uint32_t>(end_.size())};
  text_ += word;
  end_.push_back(text_.size());
  return s.number;
}

std::uint32_t word_table::find(std::string_view word) const {
  if (slots_.empty()) return none;
  return slots_[place_of(word, hash_of(word))].number;
}

void word_table::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), {});
  for (std::uint32_t n = 0; n < end_.size(); ++n) {
    const std::uint64_t hash = hash_of(word(n));
    slots_[place_of(word(n), hash)] = {tag_of(hash), n};
  }
}

}  // namespace hogwild::detail
