// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/dataset.hpp>

#include "data/parsed_text.hpp"
#include "data/row_block.hpp"
#include "data/row_format.hpp"
#include "formats/name_numbers.hpp"

namespace hogwild::detail {

/// The numbers of labels that are words, while a text is parsed. Any number of threads may ask for them at once.
class word_labels {
 public:
  /// `known[k]` has the number k. `learns`: other words get numbers, too, which are provisional until settle().
  word_labels(std::span<const std::string> known, bool learns);

  /// Reads the label [first, last), which is followed by one readable character. Returns why it is refused, and then
  /// the label is 0, or an empty text.
  std::string read(const char* first, const char* last, double& label);
  /// Bytes of the words' numbers, at any time.
  std::size_t bytes() const { return numbers_.bytes(); }
  /// Gives labels their final numbers, words after the known ones in the order of their bytes, and the text its words.
  /// To be called once all rows are parsed. Throws resource_error; `source` is the text's name.
  void settle(parsed_text& text, const std::string& source);

 private:
  std::vector<std::string> words_;
  bool learns_;
  name_numbers numbers_;
};

/// Whether data that are opened like this may have labels that are words not known before.
inline bool learns_words(const open_options& options) {
  return options.numbering == nullptr && !options.labels_optional;
}

/// Gives labels and lists of a block their final numbers, by their provisional ones.
void change_labels(row_block& block, const std::vector<std::uint32_t>& final);

/// Whether a label is a word and no number.
bool is_word_label(std::string_view label);
/// Whether the labels of lines of entries are words, by the first line of the text: it begins with a word that is no
/// number, with an entry behind it ("spam 3:1"). One line decides, so that prose and a list of words are none.
bool begins_with_word(std::string_view text);
/// What users are told if the labels of a text were found to be words.
inline constexpr const char* labels_are_words =
    "labels are words, because the first one is no number; classes are in the order of their bytes";

/// A format whose labels may be words: if open_options knows their words, or training data begin with one.
/// `parse` is row_format::parse with the numbers of these words; null: labels are numbers. `options` and `path` outlive
/// the format.
using parse_labelled =
    std::function<void(std::string_view text, const block_context& context, row_block& rows, word_labels* words)>;
row_format with_word_labels(row_format format, parse_labelled parse, const open_options& options,
                            const std::string& path);

/// The digest of known words, for row_format::companions; 0 if there are none.
std::uint64_t digest_of_words(const open_options& options);

}  // namespace hogwild::detail
