// SPDX-License-Identifier: Apache-2.0
#include "formats/word_labels.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>

#include "text/decimal.hpp"

namespace hogwild::detail {

word_labels::word_labels(std::span<const std::string> known, bool learns)
    : words_(known.begin(), known.end()), learns_(learns), numbers_(known, 0xfffffffeu, "there are too many labels") {}

std::string word_labels::read(const char* first, const char* last, double& label) {
  label = 0;
  const std::string_view word(first, static_cast<std::size_t>(last - first));
  // A '#' behind blanks begins a comment; directly behind a word it may be meant as a part of it.
  std::string fault = label_word_fault(*last == '#' ? "#" : word);
  if (!fault.empty()) return "the label " + quote(word) + " " + fault;
  const auto known = learns_ ? std::optional(numbers_.number_of(word)) : numbers_.find(word);
  if (!known) return "the label " + quote(word) + " is none of those of the training data";
  label = *known;
  return {};
}

void word_labels::settle(parsed_text& text, const std::string& source) {
  const std::vector<std::uint32_t> final = numbers_.settle(words_);
  if (learns_)
    change_rows(text, source, [&](row_block& block) {
      change_labels(block, final);
      if (block.columns > 0) return;
      for (std::size_t k = 0; k < block.entries; ++k) block.columns = std::max(block.columns, block.index[k] + 1);
    });
  text.spelling.set_words(words_);
}

void change_labels(row_block& block, const std::vector<std::uint32_t>& final) {
  const auto change = [&](double& label) { label = final[static_cast<std::size_t>(label)]; };
  if (block.list_end.empty()) {
    std::ranges::for_each(block.label, change);
    return;
  }
  std::ranges::for_each(block.list, change);
  for (std::size_t r = 0, begin = 0; r < block.list_end.size(); begin = block.list_end[r++]) {
    const std::span list = std::span(block.list).subspan(begin, block.list_end[r] - begin);
    std::ranges::sort(list);
    block.label[r] = list.empty() ? 0.0 : list.front();
  }
}

bool is_word_label(std::string_view label) {
  double number = 0;
  return label_word_fault(label).empty() &&
         read_decimal(label.data(), label.data() + label.size(), number) == number_fault::not_a_number;
}

bool begins_with_word(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const std::string_view first = word.substr(0, word.find(','));
    line.remove_prefix(std::min(line.find_first_not_of(blanks, word.size()), line.size()));
    if (line.starts_with("qid:")) line.remove_prefix(std::min(line.find_first_of(blanks), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && line.substr(digits).starts_with(':') && is_word_label(first);
  }
  return false;
}

row_format with_word_labels(row_format format, parse_labelled parse, const open_options& options,
                            const std::string& path) {
  const auto words = std::make_shared<std::unique_ptr<word_labels>>();
  format.begin = [words, &options](std::string_view text, const block_context&, const std::string&) -> std::string {
    const bool learns = learns_words(options), known = !options.label_words.empty();
    if (!known && !(learns && begins_with_word(text))) return {};
    *words = std::make_unique<word_labels>(options.label_words, learns);
    return known ? "" : labels_are_words;
  };
  format.parse = [words, parse = std::move(parse)](std::string_view text, const block_context& context,
                                                   row_block& rows) { parse(text, context, rows, words->get()); };
  format.names = [words] { return *words ? (*words)->bytes() : 0; };
  format.settle = [words, &path](parsed_text& text) {
    if (*words) (*words)->settle(text, path);
  };
  format.companions ^= digest_of_words(options);
  return format;
}

std::uint64_t digest_of_words(const open_options& options) {
  if (options.label_words.empty()) return 0;
  std::string all;
  for (const std::string& word : options.label_words) all.append(word).append(1, '\n');
  return checksum(std::as_bytes(std::span(all)));
}

}  // namespace hogwild::detail
