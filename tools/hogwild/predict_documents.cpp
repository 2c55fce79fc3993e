// SPDX-License-Identifier: Apache-2.0
#include "predict_documents.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/words/documents.hpp>
#include <hogwild/detail/words/word_model.hpp>

#include "standard_streams.hpp"

namespace hogwild::cli {

word_vectors vectors_of_lines(const saved_model& saved, const std::string& path, const data_options& files) {
  const corpus text = open_words(path, min_count_of(saved), files, words_of(saved));
  const sparse_view rows = text.rows.view();
  word_vectors made{.values = infer_documents(saved, rows)};
  made.dimension = made.values.size() / rows.rows();
  row_cursor cursor(rows);
  std::size_t unknown = 0;
  for (std::size_t line = 0; line < rows.rows(); ++line) {
    made.words.push_back(std::to_string(line));
    if (cursor.row(line).size() == 0) ++unknown;
  }
  if (unknown > 0 && !files.quiet)
    say(path + ": " + std::to_string(unknown) + " of " + std::to_string(rows.rows()) +
        " lines have no word that the model knows: their vectors are 0");
  return made;
}

std::string text_of_vectors(const word_vectors& vectors, bool json) {
  std::string text;
  for (std::size_t line = 0; line < vectors.words.size(); ++line) {
    if (json) {
      text += json_text({{"vector", vectors.row(line)}}) + "\n";
      continue;
    }
    const char* before = "";
    for (const float x : vectors.row(line)) text += std::exchange(before, " ") + detail::to_text(x);
    text += '\n';
  }
  return text;
}

}  // namespace hogwild::cli
