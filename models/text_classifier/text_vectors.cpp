// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/text_vectors.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

/// Whether files of word vectors hold such a word.
bool is_written(std::string_view word) {
  return !word.empty() && word.find_first_of(std::string_view(" \t\r\n\0", 5)) == word.npos;
}

}  // namespace

std::string_view word_of_column(const table_schema& schema, std::uint32_t number) {
  const std::uint32_t place = number - 1, value = place & ((1u << schema.value_bits) - 1);
  const std::size_t column = place >> schema.value_bits;
  if (schema.hash_bits > 0 || column >= schema.values.size() || schema.columns[column].kind != table_kind::text ||
      value == 0 || value > schema.values[column].size())
    return {};
  return schema.values[column][value - 1];
}

std::size_t begin_with_vectors(const word_vectors& vectors, const text_classifier& m, const table_schema& schema,
                               std::span<const std::uint32_t> original, std::span<float> parameters) {
  if (vectors.dimension != m.dimension)
    throw config_error("the word vectors have " + std::to_string(vectors.dimension) +
                       " numbers each: give --dimension " + std::to_string(vectors.dimension));
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t w = 0; w < vectors.words.size(); ++w) rows.emplace(vectors.words[w], w);
  std::size_t taken = 0;
  bool named = false;
  for (std::size_t column = 0; column < original.size(); ++column) {
    const std::string_view word = word_of_column(schema, original[column]);
    named = named || !word.empty();
    const auto found = rows.find(word);
    if (word.empty() || found == rows.end()) continue;
    std::ranges::copy(vectors.row(found->second), parameters.begin() + static_cast<std::ptrdiff_t>(m.row_of(column)));
    ++taken;
  }
  if (!named)
    throw config_error(
        "a run begins with word vectors if its rows are text whose words have columns by name: give such text, without "
        "--hash-bits, or leave out --init");
  return taken;
}

word_vectors vectors_in(const saved_model& saved, const std::string& source) {
  if (saved.model != text_classifier::name)
    throw config_error(source + ": a " + saved.model + " model has no vectors of words; a text_classifier has");
  word_vectors made{.dimension = saved.width};
  if (const std::optional<table_schema> schema = schema_of(saved, source)) {
    const auto is_text = [](const auto& column) { return column.kind == table_kind::text; };
    if (std::ranges::count_if(schema->columns, is_text) > 1)
      throw config_error(
          source +
          ": words have a vector for each of several columns of text, and a file of word vectors has one "
          "for each word: train on one of the columns");
    for (std::size_t k = 0; k < saved.columns.size(); ++k) {
      const std::string_view word = word_of_column(*schema, saved.columns[k]);
      if (!is_written(word)) continue;
      made.words.emplace_back(word);
      made.values.insert(made.values.end(), saved.row(k).begin(), saved.row(k).end());
    }
  }
  if (made.words.empty())
    throw config_error(source + ": no column of the model is a word by name: train it on text, without --hash-bits");
  return made;
}

}  // namespace hogwild
