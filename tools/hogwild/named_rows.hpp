// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/word_vectors.hpp>

namespace hogwild::cli {

/// The vectors of users, items, words or documents, found by their names.
class named_rows {
 public:
  /// Those in a file of word vectors or a saved model of words; or the words ("words") or the documents ("documents",
  /// or nothing) of a saved model of documents; or the users ("users") or items ("items", or nothing) of another saved
  /// model; which it is, is recognised by its content. Throws input_error for a model without them, and config_error if
  /// it holds none that are called `of`.
  named_rows(const std::string& path, const std::string& of);

  const std::string& kind() const { return kind_; }  ///< "user", "item", "word" or "document"
  std::size_t width() const { return rows_.dimension; }
  /// All vectors, those of unseen words last.
  const std::vector<float>& values() const { return rows_.values; }
  std::size_t unseen() const { return unseen_.size(); }
  const std::string& name(std::size_t row) const {
    const std::size_t known = rows_.words.size();
    return row < known ? rows_.words[row] : unseen_[row - known];
  }
  /// The name, or the number as a number.
  nlohmann::ordered_json json_of(std::size_t row) const;
  /// The row of this name; of several the first.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The same; a word that is not among them gets a row if it has a vector by its parts.
  std::optional<std::uint32_t> find_or_make(const std::string& name);

 private:
  std::string kind_ = "word";
  bool numbers_ = false;
  word_vectors rows_;
  std::optional<subword_vectors> parts_{};
  std::vector<std::string> unseen_{};
  std::unordered_map<std::string_view, std::uint32_t> places_{};
};

}  // namespace hogwild::cli
