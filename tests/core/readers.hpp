// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/detail/words/similarities.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/formats/images.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/formats/matrix_market.hpp>
#include <hogwild/formats/pairs.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/triples.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "support/refusals.hpp"

namespace hogwild::test {

/// Reads a file of the kind that `reader` names, without a cache.
inline void read_as(const std::string& reader, const std::string& path) {
  static const open_options uncached{.cache = open_options::cache_use::none};
  static const std::map<std::string, std::function<void(const std::string&)>> readers{
      {"libsvm", [](const std::string& p) { open_libsvm(p, uncached); }},
      {"ffm", [](const std::string& p) { open_libffm(p, uncached); }},
      {"ratings", [](const std::string& p) { open_ratings(p, uncached); }},
      {"named ratings",
       [names = rating_names()](const std::string& p) mutable { open_ratings(p, uncached, names = {}); }},
      {"pairs", [](const std::string& p) { open_pairs(p, {}, uncached); }},
      {"triples", [names = triple_names()](const std::string& p) mutable { open_triples(p, names = {}, uncached); }},
      {"graph", [](const std::string& p) { open_graph(p, {}, uncached); }},
      {"dimacs", [](const std::string& p) { open_graph(p, {.format = graph_format::dimacs}, uncached); }},
      {"corpus", [](const std::string& p) { open_corpus(p, {.min_count = 1}); }},
      {"analogies", [](const std::string& p) { load_analogies(p); }},
      {"word questions", [](const std::string& p) { load_word_questions(p); }},
      {"vectors", [](const std::string& p) { load_word_vectors(p); }},
      {"weights", [](const std::string& p) { read_row_numbers(p, 2); }},
      {"idx", [](const std::string& p) { open_idx(p, p, uncached); }},
      {"mtx", [](const std::string& p) { open_matrix_market(p, p, uncached); }},
      {"cifar", [](const std::string& p) { open_cifar(p, uncached); }},
      {"model", [](const std::string& p) { load_model(p); }}};
  readers.at(reader)(path);
}

inline std::string refusal_as(const std::string& reader, const std::string& path) {
  return message_of<input_error>([&] { read_as(reader, path); });
}

}  // namespace hogwild::test
