// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "words/window_descriptor.hpp"

namespace hogwild::detail {

std::vector<model_option> window_options() {
  constexpr window_model usual;
  return {
      count_option("dimension", usual.dimension, "numbers of a word's vector"),
      count_option("window", usual.window, "neighbours on each side of a word, at most"),
      count_option("negative", usual.negative, "words drawn at random for contrast, for each window"),
      flag_option("hierarchical", "hierarchical softmax over a Huffman tree of the words, instead of drawn words"),
      number_option("sample", usual.sample, "words that are a larger fraction of the text are thinned out; 0: none"),
      {"subwords", "MIN-MAX", "none",
       "vectors of parts of words of so many characters, too, as in fastText, so that unseen words have vectors",
       [](const std::string& text) {
         subword_shape ignored;
         return read_subwords(text, ignored);
       }},
      count_option("buckets", usual.subwords.buckets,
                   "with --subwords: parts whose hashes are equal modulo N are one")};
}

void check_window_options(const model_options& options) {
  for (const char* const name : {"dimension", "window", "negative"})
    if (options.count(name, 1) > 65'536)
      throw config_error("--dimension, --window and --negative are numbers up to 65536");
  if (options.flag("hierarchical", false) && options.given("negative"))
    throw config_error(
        "--negative is how many words are drawn for contrast, and --hierarchical draws none: leave out one of them");
  const std::size_t buckets = options.count("buckets", 1);
  if (buckets < 1 || buckets > subword_shape::most_buckets)
    throw config_error("--buckets is a number from 1 to " + std::to_string(subword_shape::most_buckets));
  if (options.given("buckets") && !subwords_in(options).any())
    throw config_error("--buckets is for the parts of words, and needs --subwords MIN-MAX");
}

window_model windows_for(const sparse_view& rows, const model_options& options) {
  window_model m;
  m.words = rows.columns;
  m.subwords = subwords_in(options);
  if (m.subwords.any() && rows.rows() > 0) {
    const column_parts parts = parts_of(rows);
    if (parts.start.empty())
      throw config_error("the rows were read without parts of words: read the text with corpus_options::subwords");
    m.parts = parts.parts;
  }
  m.dimension = options.count("dimension", m.dimension);
  m.window = static_cast<std::uint32_t>(options.count("window", m.window));
  m.negative = static_cast<std::uint32_t>(options.count("negative", m.negative));
  m.sample = options.number("sample", m.sample);
  m.hierarchical = options.flag("hierarchical", m.hierarchical);
  const auto require = [](bool holds, const char* otherwise) {
    if (!holds) throw config_error(otherwise);
  };
  require(m.dimension >= 1 && m.dimension <= 65'536, "word vectors have 1 to 65536 dimensions");
  require(m.window >= 1 && m.window <= 1000, "a window has 1 to 1000 words on each side");
  require(m.negative >= 1 && m.negative <= 1000, "1 to 1000 negative words are drawn for a window");
  require(m.sample >= 0.0 && m.sample <= 1.0, "sample is a fraction of the text, from 0 (all words are kept) to 1");
  return m;
}

}  // namespace hogwild::detail
