// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/subword_vectors.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/registry.hpp>

#include "embeddings/scaled_rows.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "words/fasttext_file.hpp"

namespace hogwild {
namespace {

void add_to(std::span<float> sum, std::span<const float> row, float factor) {
  std::ranges::transform(sum, row, sum.begin(), [factor](float a, float b) { return a + factor * b; });
}

}  // namespace

detail::word_parts::word_parts(const window_model& m, const vocabulary& words) : model_(m) {
  if (m.parts == 0) return;
  table_.emplace(words, m.subwords);
  if (table_->size() != m.parts)
    throw config_error("the model was made for words of " + std::to_string(m.parts) +
                       " parts, but those of the vocabulary have " + std::to_string(table_->size()));
}

void detail::word_parts::add(std::span<const float> parameters, std::size_t word, std::span<float> own) const {
  if (!table_) return;
  const std::span<const std::uint32_t> parts = table_->parts().of(word);
  for (const std::uint32_t part : parts) add_to(own, parameters.subspan(model_.part_at(part), own.size()), 1.0f);
  multiply(own, window_model::factor_of(parts.size() + 1));
}

void detail::word_parts::separate(std::size_t word, std::span<float> parameters) const {
  if (!table_) return;
  const std::span<const std::uint32_t> parts = table_->parts().of(word);
  const std::span<float> own = parameters.subspan(model_.input_of(word), model_.dimension);
  multiply(own, 1.0f / window_model::factor_of(parts.size() + 1));
  for (const std::uint32_t part : parts) add_to(own, parameters.subspan(model_.part_at(part), own.size()), -1.0f);
}

std::optional<std::vector<float>> subword_vectors::of(std::string_view word) const {
  const std::vector<std::uint32_t> known = table_.of(word);
  if (known.empty()) return std::nullopt;
  std::vector<float> sum(dimension_);
  for (const std::uint32_t part : known) add_to(sum, row(part), 1.0f);
  multiply(sum, window_model::factor_of(known.size()));
  return sum;
}

std::optional<subword_vectors> subword_vectors_of(const saved_model& saved) {
  const std::optional<subword_shape> shape = subwords_of(saved);
  if (!shape) return std::nullopt;
  std::vector<vocabulary::counted_word> words;
  for (const std::string& name : saved.names) words.push_back({name, 0});
  const vocabulary known = vocabulary::in_order(words);
  for (std::size_t row = 0; row < words.size(); ++row)
    if (known.find(words[row].word) != row)
      throw input_error("a model of words has the word " + quote(words[row].word) + " twice");
  subword_table table(known, *shape);
  const std::size_t dimension = saved.width / 2;
  if (saved.bias.size() != table.size() * dimension)
    throw input_error("the model has " + std::to_string(saved.bias.size()) + " numbers for the " +
                      std::to_string(table.size()) + " parts of its words, and not " + std::to_string(dimension) +
                      " for each");
  return subword_vectors(std::move(table), saved.bias, dimension);
}

known_words words_in(const saved_model& saved, const std::string& source) {
  try {
    if (model_named(saved.model).facts().input != model_input::corpus)
      throw input_error("a " + saved.model + " model has no word vectors; name a file in a format of word2vec");
    return {.vectors = inputs_of(saved), .parts = subword_vectors_of(saved)};
  } catch (const input_error& fault) {
    throw input_error(source + ": " + fault.what());
  }
}

bool begins_as_fasttext(const std::string& path) {
  try {
    return path != "-" && detail::stamp_of(path) &&
           detail::begins_as_fasttext(detail::read_head(path, looked_at_bytes));
  } catch (const input_error&) {
    return false;
  }
}

known_words load_words(const std::string& path, const std::function<void(std::string_view)>& note) {
  const file_kind kind = path == "-" ? file_kind::unknown : look_at_file(path).kind;
  if (begins_as_fasttext(path))
    return detail::parse_fasttext(detail::read_unpacked(path, {}, detail::content::bytes), path);
  if (kind != file_kind::binary_model && kind != file_kind::text_model) return {.vectors = load_word_vectors(path)};
  return words_in(load_model(path, note), path);
}

}  // namespace hogwild
