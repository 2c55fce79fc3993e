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

#include <hogwild/word_vectors.hpp>

namespace hogwild::cli {

/// The vectors of users, items or words, found by their names.
class named_rows {
 public:
  /// Those in a file of word vectors, or the users ("users") or items ("items", or nothing) of a saved model; which of
  /// both it is, is recognised by its content. Throws input_error for a model without them, and config_error if users
  /// or items are asked for among words.
  named_rows(const std::string& path, const std::string& of);

  const std::string& kind() const { return kind_; }  ///< "user", "item" or "word"
  std::size_t width() const { return rows_.dimension; }
  const std::vector<float>& values() const { return rows_.values; }
  const std::string& name(std::size_t row) const { return rows_.words[row]; }
  /// The name, or the number as a number.
  nlohmann::ordered_json json_of(std::size_t row) const;
  /// The row of this name; of several the first.
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::string kind_ = "word";
  bool numbers_ = false;
  word_vectors rows_;
  std::unordered_map<std::string_view, std::uint32_t> places_{};
};

}  // namespace hogwild::cli
