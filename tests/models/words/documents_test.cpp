// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/documents.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/corpus.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

constexpr const char* document_lines = "a b c a d b a e a b\n\nd e f d e a b d e\nc\n";

struct documents_fixture : testing::Test {
  corpus lines = read_corpus(document_lines, "text", {.min_count = 1, .documents = true});
  sparse_view rows = lines.rows.view();

  paragraph_vectors made(bool memory, bool neighbours) const {
    paragraph_vectors m;
    m.words = rows.columns, m.dimension = 5, m.window = 2, m.negative = 3, m.sample = 0.0;
    m.documents = rows.rows(), m.memory = memory, m.neighbours = neighbours;
    return m;
  }
  static std::vector<float> weights(const paragraph_vectors& m) {
    std::vector<float> all = test::noise_vector(m.dim(), 5, -0.6f, 0.6f);
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j % m.width() >= m.dimension) all[j] = 0.0f;
    return all;
  }
};

// The formulas of the header, by windows and drawn words of the same random numbers.
TEST_F(documents_fixture, losses_are_those_of_the_formulas) {
  for (const auto& [memory, neighbours] : {std::pair{false, false}, {false, true}, {true, true}}) {
    const paragraph_vectors m = made(memory, neighbours);
    std::vector<float> w = weights(m);
    window_space space = m.make_workspace(rows, isa::scalar, 1);
    row_cursor cursor(rows);
    const window_outputs choice(m, rows);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const counter_random random(3, row);
      m.take(space, 0, cursor.row(row), random);
      row_score told;
      m.score(param_reader<float>(w.data(), w.size()), space, 1, {&told, 1});

      const std::span<const std::uint32_t> words = cursor.row(row).index;
      double expected = 0.0;
      for (std::size_t t = 0; t < words.size(); ++t) {
        const auto draw = [&](std::size_t number) {
          return random.bits((std::uint64_t{1} << 32) + t * m.draws() + number);
        };
        std::vector<std::vector<float>> inputs{{w.begin() + static_cast<std::ptrdiff_t>(m.document_at(row)),
                                                w.begin() + static_cast<std::ptrdiff_t>(m.document_at(row + 1))}};
        const std::size_t radius = 1 + static_cast<std::size_t>((draw(0) >> 32) * m.window >> 32);
        for (std::size_t p = t - std::min(t, radius); m.neighbours && p < std::min(t + radius + 1, words.size()); ++p)
          if (p != t) {
            const auto begin = w.begin() + static_cast<std::ptrdiff_t>(m.input_of(words[p]));
            inputs.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(m.width()));
          }
        if (memory) {
          std::vector<float> mean(m.width());
          for (const auto& input : inputs)
            for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += input[k] / static_cast<float>(inputs.size());
          inputs = {mean};
        }
        std::vector<std::uint32_t> outputs;
        const std::size_t positive = choice.choose(words[t], outputs, draw);
        for (const auto& input : inputs)
          for (std::size_t j = 0; j < outputs.size(); ++j) {
            double score = 0.0;
            for (std::size_t k = 0; k < m.dimension; ++k)
              score += static_cast<double>(input[k]) * static_cast<double>(w[m.output_of(outputs[j]) + k]);
            expected += std::log1p(std::exp(j < positive ? -score : score));
          }
      }
      EXPECT_NEAR(told.loss, expected, 1e-5 * expected) << row << " " << memory << neighbours;
    }
  }
}

// Saved and read, a model has the same parameters.
TEST_F(documents_fixture, saved_models_come_back) {
  for (const auto& [memory, neighbours] : {std::pair{false, false}, {false, true}, {true, true}}) {
    const paragraph_vectors m = made(memory, neighbours);
    const std::vector<float> w = weights(m);
    const saved_model saved = word_model_of(m, w, lines.words, 3);
    EXPECT_EQ(documents_in(saved), 4u);
    EXPECT_EQ(min_count_of(saved), 3u);
    const named_model read = model_of_words(saved, m.words);
    EXPECT_EQ(std::get<paragraph_vectors>(read).hyperparameters(), m.hyperparameters());
    const vocabulary words = *words_of(saved);
    EXPECT_EQ(words.size(), m.words);
    EXPECT_EQ(words.count(0), lines.words.count(0));
    EXPECT_EQ(parameters_of_words(saved, read, words, "text"), w);
    const word_vectors documents = documents_of(saved);
    EXPECT_EQ(documents, vectors_of(m, w, lines.words));
    EXPECT_EQ(documents.words, (std::vector<std::string>{"0", "1", "2", "3"}));
    EXPECT_EQ(documents.row(2)[1], w[m.document_at(2) + 1]);
    if (neighbours) {
      EXPECT_EQ(inputs_of(saved).row(1)[2], w[m.input_of(1) + 2]);
    } else {
      EXPECT_THROW(inputs_of(saved), input_error);
    }
  }
}

TEST_F(documents_fixture, damaged_models_are_refused) {
  const paragraph_vectors m = made(false, false);
  const saved_model sound = word_model_of(m, weights(m), lines.words, 1);
  const auto refused = [&](const auto& damage) {
    saved_model damaged = sound;
    damage(damaged);
    EXPECT_THROW(infer_documents(damaged, rows), input_error);
  };
  refused([](saved_model& s) { s.bias.pop_back(); });
  refused([](saved_model& s) { s.weights.front() = -1.0f; });
  for (const double documents : {0.0, 2.5, 1e30})
    refused([&](saved_model& s) {
      for (auto& [name, value] : s.model_options)
        if (name == "documents") value = documents;
    });
}

// A vector depends on the words of its document, and on nothing else in the text.
TEST_F(documents_fixture, the_same_words_get_the_same_vector) {
  for (const bool memory : {false, true}) {
    const paragraph_vectors m = made(memory, memory);
    const saved_model saved = word_model_of(m, weights(m), lines.words, 1);
    const corpus other =
        read_corpus("d e f\nunknown\na b c\n\nd e f\n", "other", {.words = *words_of(saved), .documents = true});
    const std::vector<float> made = infer_documents(saved, other.rows.view());
    const auto row = [&](std::size_t k) { return std::vector<float>(&made[k * 5], &made[k * 5] + 5); };
    EXPECT_EQ(row(0), row(4));
    EXPECT_NE(row(0), row(2));
    for (const std::size_t unknown : {1u, 3u}) EXPECT_EQ(row(unknown), std::vector<float>(5)) << unknown;
    EXPECT_NE(infer_documents(saved, other.rows.view(), {.seed = 2}), made);
    const corpus alone = read_corpus("a b c\n", "alone", {.words = *words_of(saved), .documents = true});
    EXPECT_EQ(infer_documents(saved, alone.rows.view()), row(2));
  }
}

TEST_F(documents_fixture, further_documents_are_refused_in_training) {
  paragraph_vectors m = made(false, false);
  EXPECT_NO_THROW(m.require_data(rows, "text"));
  EXPECT_NO_THROW(m.require_data(rows.slice(2, 4), "text"));
  m.documents = 3;
  EXPECT_THROW(m.require_data(rows, "text"), config_error);
  EXPECT_THROW(m.require_data(rows.slice(2, 4), "text"), config_error);
}

}  // namespace
