// SPDX-License-Identifier: Apache-2.0
// Words predicted by the steps down to them in a tree: against the formula in double, and as saved models.
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/skip_gram.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
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

namespace {

using namespace hogwild;

constexpr std::size_t tree_dimension = 5;

/// a occurs 8 times, b 4, c 3, d 2, e 1. By hand: 1 + 2 = 3 (e, d: node 3), 3 + 3 = 6 (c, node 3: node 2), 4 + 6 = 10
/// (b, node 2: node 1), 8 + 10 = 18 (a, node 1: node 0); the first of each pair is the lighter one.
constexpr const char* tree_text = "a b a c a d\na b a c b\na a e d b c a";

template <class M>
class word_trees : public testing::Test {
 public:
  corpus words = read_corpus(tree_text, "text", {.min_count = 1});
  sparse_view data = words.rows.view();
  M model = [this] {
    M m;
    m.words = words.words.size(), m.dimension = tree_dimension, m.window = 1, m.sample = 0, m.hierarchical = true;
    return m;
  }();
  std::vector<float> w = [this] {
    std::vector<float> all(model.dim());
    std::mt19937_64 random(6);
    std::uniform_real_distribution<float> some(-1.0f, 1.0f);
    for (std::size_t half = 0; half < all.size(); half += model.width())
      for (std::size_t k = 0; k < tree_dimension; ++k) all[half + k] = some(random);
    return all;
  }();

  /// The chance of a word beside the word of a vector: a product over the nodes on its way.
  double chance(std::uint32_t word, std::uint32_t beside) const {
    struct way {
      std::vector<std::uint32_t> nodes;
      std::vector<int> bits;
    };
    static const way ways[] = {{{0}, {1}},
                               {{0, 1}, {0, 1}},
                               {{0, 1, 2}, {0, 0, 1}},
                               {{0, 1, 2, 3}, {0, 0, 0, 0}},
                               {{0, 1, 2, 3}, {0, 0, 0, 1}}};
    double product = 1.0;
    for (std::size_t k = 0; k < ways[word].nodes.size(); ++k) {
      double score = 0.0;
      for (std::size_t i = 0; i < tree_dimension; ++i)
        score += static_cast<double>(w[model.input_of(beside) + i]) *
                 static_cast<double>(w[model.output_of(ways[word].nodes[k]) + i]);
      product /= 1.0 + std::exp(ways[word].bits[k] == 0 ? -score : score);
    }
    return product;
  }

  double loss_of_row(std::size_t row) {
    window_space space = model.make_workspace(data, isa::scalar, 1);
    row_cursor cursor(data);
    model.take(space, 0, cursor.row(row), counter_random(3, row));
    row_score scored;
    model.score(param_reader<float>(w.data(), w.size()), space, 1, {&scored, 1});
    return scored.loss;
  }
};
using tree_models = testing::Types<skip_gram, cbow>;
TYPED_TEST_SUITE(word_trees, tree_models);

TYPED_TEST(word_trees, chances_of_all_words_sum_up_to_one) {
  for (std::uint32_t beside = 0; beside < 5; ++beside) {
    double sum = 0.0;
    for (std::uint32_t word = 0; word < 5; ++word) sum += this->chance(word, beside);
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

// Windows reach one word to each side. Scores are products of 5 numbers below 1 in size, off by 5 * 5 * 2^-24 at most
// each, and a row has at most 12 pairs of 4 of them; means of two vectors add one rounding.
TYPED_TEST(word_trees, the_loss_is_the_formula) {
  row_cursor cursor(this->data);
  for (std::size_t row = 0; row < this->data.rows(); ++row) {
    const auto index = cursor.row(row).index;
    const std::vector<std::uint32_t> words(index.begin(), index.end());
    double loss = 0.0;
    for (std::size_t t = 0; t < words.size(); ++t) {
      std::vector<std::uint32_t> beside;
      if (t > 0) beside.push_back(words[t - 1]);
      if (t + 1 < words.size()) beside.push_back(words[t + 1]);
      if (std::is_same_v<TypeParam, skip_gram>) {
        for (const std::uint32_t other : beside) loss -= std::log(this->chance(words[t], other));
        continue;
      }
      // The mean of the neighbours takes the place of the first one's vector for a while.
      const std::vector<float> before = this->w;
      for (std::size_t i = 0; i < tree_dimension; ++i) {
        float sum = 0.0f;
        for (const std::uint32_t other : beside) sum += before[this->model.input_of(other) + i];
        this->w[this->model.input_of(beside[0]) + i] = sum / static_cast<float>(beside.size());
      }
      loss -= std::log(this->chance(words[t], beside[0]));
      this->w = before;
    }
    EXPECT_NEAR(this->loss_of_row(row), loss, 12 * 4 * 30 * 0x1p-24) << row;
  }
}

TYPED_TEST(word_trees, of_a_single_word_nothing_is_lost) {
  this->words = read_corpus("a a a", "one", {.min_count = 1});
  this->data = this->words.rows.view();
  this->model.words = 1;
  this->w.assign(this->model.dim(), 0.5f);
  EXPECT_EQ(this->loss_of_row(0), 0.0);
}

TYPED_TEST(word_trees, are_saved_with_what_makes_the_tree_again) {
  const saved_model saved = word_model_of(this->model, this->w, this->words.words, 1);
  EXPECT_EQ(saved.width, 2 * tree_dimension + 1);
  EXPECT_EQ(saved.row(0).front(), 8.0f);
  EXPECT_EQ(saved.row(4).front(), 1.0f);

  // Another text, with a word that is not in the model: it is read as the first one was.
  const auto known = words_of(saved);
  ASSERT_TRUE(known);
  const corpus other = read_corpus("e e d z e d\nz", "other", {.words = known});
  EXPECT_EQ(other.rows.unknown_entries(), 2u);
  const named_model loaded = model_of_words(saved, other.words.size());
  EXPECT_TRUE(std::get<TypeParam>(loaded).hierarchical);
  EXPECT_EQ(parameters_of_words(saved, loaded, other.words, "other"), this->w);
}

TYPED_TEST(word_trees, whose_counts_are_none_are_refused) {
  const saved_model saved = word_model_of(this->model, this->w, this->words.words, 1);
  const auto refusal_of = [](const saved_model& spoilt) -> std::string {
    try {
      words_of(spoilt);
    } catch (const input_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal_of(saved), "accepted");
  for (const float count : {0.0f, 2.5f, -1.0f, 9.0f, 1e30f}) {
    saved_model spoilt = saved;
    spoilt.weights[2 * spoilt.width] = count;
    EXPECT_THAT(refusal_of(spoilt), testing::HasSubstr("how often the word occurred")) << count;
  }
  saved_model twice = saved;
  twice.names[3] = twice.names[1];
  EXPECT_THAT(refusal_of(twice), testing::HasSubstr("'b' twice"));
  EXPECT_THROW(
      parameters_of_words(saved, this->model, read_corpus("b b b b c c c a a d e", "x", {.min_count = 1}).words, "x"),
      config_error);
}

// In single precision both have 2^24 + 4, and by their bytes "a" would come first: the saved order must hold.
TEST(words_of_a_saved_model, keep_their_order_where_counts_are_rounded) {
  const vocabulary words({{"b", (1u << 24) + 5}, {"a", (1u << 24) + 4}, {"c", 7}});
  skip_gram m;
  m.words = 3, m.dimension = 1, m.hierarchical = true;
  const auto known = words_of(word_model_of(m, std::vector<float>(m.dim()), words, 1));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->word(0), "b");
  EXPECT_EQ(known->word(1), "a");
  EXPECT_EQ(known->find("c"), 2u);
}

}  // namespace
