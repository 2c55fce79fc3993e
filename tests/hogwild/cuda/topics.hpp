// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <string>

#include <hogwild/formats/corpus.hpp>
#include <hogwild/models/skip_gram.hpp>

namespace hogwild::test {

/// A thousand sentences of twelve words of one topic out of twenty, of ten words each; all words are equally frequent.
struct topics {
  static constexpr std::size_t words_of_each = 10;

  corpus text = read_corpus(sentences(), "topics", {.min_count = 1, .threads = 1});
  skip_gram model = [this] {
    skip_gram m;
    m.words = text.words.size(), m.dimension = 16, m.window = 3, m.sample = 0;
    return m;
  }();

  /// The fraction of words whose nearest word, by the angle between vectors, has the same topic. If nothing was learned
  /// it is 9 of 199.
  double neighbours_of_one_topic(std::span<const float> parameters) const {
    const auto vector_of = [&](std::size_t word) { return parameters.subspan(model.input_of(word), model.dimension); };
    const auto product = [&](std::size_t a, std::size_t b) {
      double sum = 0.0;
      for (std::size_t k = 0; k < model.dimension; ++k)
        sum += static_cast<double>(vector_of(a)[k]) * static_cast<double>(vector_of(b)[k]);
      return sum;
    };
    std::size_t right = 0;
    for (std::size_t word = 0; word < model.words; ++word) {
      std::size_t nearest = word;
      double best = -2.0;
      for (std::size_t other = 0; other < model.words; ++other) {
        const double cosine = product(word, other) / std::sqrt(product(other, other) + 1e-30);
        if (other == word || cosine <= best) continue;
        best = cosine;
        nearest = other;
      }
      right += topic_of(word) == topic_of(nearest) ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(model.words);
  }

 private:
  static std::string sentences() {
    std::mt19937_64 random(1);
    std::string all;
    for (std::size_t line = 0; line < 1000; ++line) {
      const std::size_t topic = random() % 20;
      for (std::size_t k = 0; k < 12; ++k)
        all += "w" + std::to_string(topic * words_of_each + random() % words_of_each) + " ";
      all += "\n";
    }
    return all;
  }
  std::size_t topic_of(std::size_t word) const {
    return std::stoul(std::string(text.words.word(word).substr(1))) / words_of_each;
  }
};

}  // namespace hogwild::test
