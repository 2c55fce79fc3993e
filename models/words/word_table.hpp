// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::detail {

/// Numbers words in the order in which they come: 0, 1, 2, ... Only one thread at a time may insert.
class word_table {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  /// The word's number; a new word gets the next one. Throws input_error if there are none left.
  std::uint32_t insert(std::string_view word);
  /// The number of a word that was inserted, or none.
  std::uint32_t find(std::string_view word) const;

  std::size_t size() const { return end_.size(); }
  /// Valid until the next insert().
  std::string_view word(std::size_t number) const {
    const std::size_t begin = number == 0 ? 0 : end_[number - 1];
    return std::string_view(text_).substr(begin, end_[number] - begin);
  }

 private:
  struct slot {
    std::uint32_t hash = 0;
    std::uint32_t number = none;
  };

  std::size_t place_of(std::string_view word, std::uint64_t hash) const;
  void grow();

  std::string text_;              ///< all words, one after the other
  std::vector<std::size_t> end_;  ///< where each word ends
  std::vector<slot> slots_;       ///< their number is a power of two, at most half of them used
};

}  // namespace hogwild::detail
