// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace hogwild {

namespace detail {
class word_table;
}

/// The words of a corpus by falling count; words of equal count are in the order of their bytes. Copies are cheap.
/// Never changed, so any number of threads may use it at once.
class vocabulary {
 public:
  struct counted_word {
    std::string_view word;
    std::uint64_t count;
  };

  vocabulary();
  /// From distinct words, in any order.
  explicit vocabulary(std::vector<counted_word> words);
  /// From the words of another vocabulary, in its order. No count is above the one before; counts may have been rounded
  /// since.
  static vocabulary in_order(std::span<const counted_word> words);

  std::size_t size() const { return count_->size(); }
  /// The word at a position below size(); valid as long as a copy of this vocabulary.
  std::string_view word(std::size_t position) const;
  std::uint64_t count(std::size_t position) const { return (*count_)[position]; }
  std::span<const std::uint64_t> counts() const { return *count_; }
  std::optional<std::uint32_t> find(std::string_view word) const;

 private:
  vocabulary(std::shared_ptr<const detail::word_table> words, std::shared_ptr<const std::vector<std::uint64_t>> counts);

  std::shared_ptr<const detail::word_table> words_;
  std::shared_ptr<const std::vector<std::uint64_t>> count_;
};

}  // namespace hogwild
