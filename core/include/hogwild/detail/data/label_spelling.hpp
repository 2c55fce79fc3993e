// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hogwild {

/// A label as people write it, where no text of its own is known: "100000" and not "1e+05". From 1e-8 up to below 1e21
/// without an exponent; the shortest decimals that read back to the same number.
std::string label_text(double label);

/// How labels are written in a text where that is not their label_text(): "+1", "007", "1.0". Keeps one text a number;
/// of several the shortest, and of those the first in the alphabet, so that it does not matter who reads which part of
/// a text. Numbers that are too many to be classes are forgotten, whole ones and others apart.
class label_spelling {
 public:
  static constexpr std::size_t most_whole = 1'048'576, most_broken = 256;
  static constexpr std::size_t longest = 255;  ///< bytes of a text; of a longer one nothing is kept

  /// `text` reads as `label`, which is finite; its label_text() need not be kept. -0 and 0 are one label.
  void add(double label, std::string_view text);
  void add(const label_spelling& others);

  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  /// The text of this label; empty where it is its label_text().
  std::string_view find(double label) const;

  /// The texts in 64-bit words, for files; none where there are no texts. And back: nothing where the bytes are not
  /// what encode() makes, or a text does not read as its label.
  std::vector<std::uint64_t> encode() const;
  static std::optional<label_spelling> decode(std::span<const std::byte> bytes);

 private:
  struct spelled {
    double label;
    std::string text;
  };
  void forget(bool whole);

  std::vector<spelled> texts_;
  std::unordered_map<double, std::size_t> place_;  ///< in texts_
  std::size_t last_ = 0;                           ///< the one that was added, since the next is often the same
  std::size_t whole_ = 0;                          ///< how many are whole numbers
  bool many_whole_ = false, many_broken_ = false;  ///< and are forgotten
};

class sparse_dataset;

namespace detail {
/// How the labels of the text are written that the dataset was read from; of other data empty.
const label_spelling& spelling_of(const sparse_dataset& data);
}  // namespace detail

}  // namespace hogwild
