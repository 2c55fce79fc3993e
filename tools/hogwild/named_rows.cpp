// SPDX-License-Identifier: Apache-2.0
#include "named_rows.hpp"

#include <span>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/words/documents.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

#include "data_files.hpp"

namespace hogwild::cli {
namespace {

bool is_model(const std::string& path) {
  if (path == "-") return false;
  const file_kind kind = look_at_file(path).kind;
  return kind == file_kind::binary_model || kind == file_kind::text_model;
}

/// The users, or the items, of a model, in the order of their numbers.
word_vectors rows_of(const saved_model& saved, const std::string& path, bool users) {
  const predictor model = predictor_of(saved, path);
  const auto vectors = model.vectors();
  if (!vectors)
    throw input_error(path + ": a " + saved.model +
                      " model has no neighbours; models of ratings and of pairs have, and " +
                      "word vectors, NAME.vec, NAME.bin or NAME.model");
  const std::span<const float> all = users ? vectors->users : vectors->items;
  const std::size_t first = users ? 0 : vectors->users.size() / vectors->width;  // users stand before items
  const column_numbering places(model.columns());
  word_vectors rows{.dimension = vectors->width};
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    const std::uint32_t column = saved.columns[k];
    if (is_user_column(column) != users) continue;
    rows.words.push_back(saved.names.empty() ? std::to_string(rating_id(column)) : saved.names[k]);
    const auto row = all.subspan((places.position(column) - first) * vectors->width, vectors->width);
    rows.values.insert(rows.values.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace

named_rows::named_rows(const std::string& path, const std::string& of) {
  const std::optional<saved_model> saved = is_model(path) ? std::optional(load_model(path, say)) : std::nullopt;
  const auto require = [&](std::string_view first, std::string_view second, const char* holds) {
    if (of.empty() || of == first || of == second) return;
    throw config_error("--of " + of + ": " + path + " holds " + holds + ", and none of these");
  };
  if (saved && input_of(saved->model) != model_input::corpus) {
    require("items", "users", "users and items");
    const bool users = of == "users";
    kind_ = users ? "user" : "item";
    numbers_ = saved->names.empty();
    rows_ = rows_of(*saved, path, users);
  } else if (saved && of != "words" && model_named(saved->model).facts().documents) {
    require("documents", "words", "documents and words");
    kind_ = "document";
    numbers_ = true;
    rows_ = documents_of(*saved);
  } else {
    require("words", "words", "words");
    known_words words = saved ? words_in(*saved, path) : load_words(path, say);
    rows_ = std::move(words.vectors), parts_ = std::move(words.parts);
  }
  places_.reserve(rows_.words.size());
  for (std::uint32_t k = 0; k < rows_.words.size(); ++k) places_.try_emplace(rows_.words[k], k);
}

nlohmann::ordered_json named_rows::json_of(std::size_t row) const {
  if (numbers_) return std::stoul(name(row));
  return name(row);
}

std::optional<std::uint32_t> named_rows::find(std::string_view name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> named_rows::find_or_make(const std::string& name) {
  if (const auto found = find(name)) return found;
  const auto vector = parts_ ? parts_->of(name) : std::nullopt;
  if (!vector) return std::nullopt;
  unseen_.push_back(name);
  rows_.values.insert(rows_.values.end(), vector->begin(), vector->end());
  return static_cast<std::uint32_t>(rows_.words.size() + unseen_.size() - 1);
}

}  // namespace hogwild::cli
