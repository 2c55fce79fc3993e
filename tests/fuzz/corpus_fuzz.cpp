// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused. With all options the words that are read are those of the text, and their counts are
// right.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>

namespace {

using namespace hogwild;

/// The frequent words of the rows, one behind the other.
std::string words_of(const corpus& c) {
  std::string all;
  row_cursor cursor(c.rows.view());
  for (std::size_t r = 0; r < c.rows.rows(); ++r)
    for (const std::uint32_t word : cursor.row(r).index) all.append(c.words.word(word)).append(1, ' ');
  return all;
}

std::string words_of(std::string_view text, std::uint64_t min_count) {
  constexpr std::string_view blanks = " \t\r\v\f\n";
  std::map<std::string_view, std::uint64_t> counts;
  std::string all;
  for (const bool counting : {true, false}) {
    for (std::size_t at = text.find_first_not_of(blanks); at < text.size();) {
      const std::string_view word = text.substr(at, text.find_first_of(blanks, at) - at);
      at = text.find_first_not_of(blanks, at + word.size());
      if (counting)
        ++counts[word];
      else if (counts[word] >= min_count)
        all.append(word).append(1, ' ');
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const corpus_options options{
      .min_count = 1 + std::uint64_t{data[0]} % 4, .sentence = 1 + std::size_t{data[1]} % 8, .threads = 1};
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  try {
    const corpus c = read_corpus(text, "fuzz", options);
    c.rows.verify();
    for (std::size_t w = 0; w < c.words.size(); ++w)
      if (c.words.find(c.words.word(w)) != w || c.words.count(w) < options.min_count) std::abort();
    for (std::size_t r = 0; r < c.rows.rows(); ++r)
      if (row_cursor(c.rows.view()).row(r).size() > options.sentence) std::abort();
    // The bytes of an archive are not its text.
    const bool plain = text[0] != '\x1f' && text[0] != '\xfd' && text[0] != '\x28' && text[0] != 'B';
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // is no part of the first word
    const std::string_view words = text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
    if (plain && words_of(c) != words_of(words, options.min_count)) std::abort();
  } catch (const input_error&) {
  }
  return 0;
}
