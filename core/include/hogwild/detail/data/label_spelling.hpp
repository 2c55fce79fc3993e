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

/// A label as people write it, for labels without a spelling of their own: "100000" and not "1e+05". The shortest
/// decimals that read back to the same number, without an exponent from 1e-8 up to below 1e21.
std::string label_text(double label);

/// The spelling of labels whose text is not their label_text(): "+1", "007", "1.0". Keeps one text for each number: the
/// one that is rounded(), else the shortest, and of several such the alphabetically first, so that the result does not
/// depend on who reads which part of a text. If there are too many numbers to be classes, they are forgotten, whole
/// ones and others separately. Labels that are words have all of them as their texts.
class label_spelling {
 public:
  static constexpr std::size_t most_whole = 1'048'576, most_broken = 256;
  static constexpr std::size_t longest = 255;  ///< bytes of a text; longer texts are not kept

  /// `text` reads as `label`, which is finite; a text that equals label_text() need not be kept. -0 and 0 are one
  /// label.
  void add(double label, std::string_view text);
  void add(const label_spelling& others);

  /// Labels are words: label k is words[k], and there are no other texts.
  void set_words(std::vector<std::string> words);
  /// Empty if labels are numbers.
  std::span<const std::string> words() const { return words_; }

  bool empty() const { return texts_.empty() && words_.empty(); }
  std::size_t size() const { return texts_.size() + words_.size(); }
  /// The text of this label; empty if it is label_text().
  std::string_view find(double label) const;
  /// A text whose number double precision rounds to another one, so that several labels may have become one:
  /// "0.123456789012345678901". Empty if there is none. As many digits of a label as one likes may be written, if they
  /// are its own.
  std::string_view rounded() const;

  /// Converts the texts to 64-bit words, for files, and back. No texts give no words. Decoding returns nothing if the
  /// words are not what encode() makes, or a text does not read as its label.
  std::vector<std::uint64_t> encode() const;
  static std::optional<label_spelling> decode(std::span<const std::byte> bytes);

 private:
  struct spelled {
    double label;
    std::string text;
  };
  void forget(bool whole);

  std::vector<spelled> texts_;
  std::unordered_map<double, std::size_t> place_;  ///< index in texts_
  std::size_t last_ = 0;                           ///< the label added last, since the next is often the same
  std::size_t whole_ = 0;                          ///< number of labels that are whole numbers
  bool many_whole_ = false, many_broken_ = false;  ///< such labels are forgotten
  std::vector<std::string> words_;                 ///< instead of texts_
};

class sparse_dataset;

namespace detail {
/// Why a word cannot be a label in lines of entries, as the end of a sentence; empty if it can.
std::string label_word_fault(std::string_view word);
/// The spelling of labels in the text that the dataset was read from; empty for other data.
const label_spelling& spelling_of(const sparse_dataset& data);
}  // namespace detail

}  // namespace hogwild
