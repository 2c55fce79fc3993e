// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/cbow.hpp>
#include <hogwild/models/skip_gram.hpp>

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/formats/corpus.hpp>

namespace {

using namespace hogwild;

constexpr std::uint32_t window = 2, negative = 3;
constexpr std::size_t dimension = 5;
constexpr const char* text = "a b c a d b a e a b c f a b\na c\nb\nd e f d e a b d e";

template <class M, bool Hierarchical>
struct window_case {
  using model = M;
  static constexpr bool hierarchical = Hierarchical;
};

template <class Subject>
class word_windows : public testing::Test {
 public:
  using M = typename Subject::model;
  using emissions = std::vector<std::pair<std::size_t, std::vector<float>>>;

  corpus words = read_corpus(text, "text", {.min_count = 1});
  sparse_view data = words.rows.view();
  M model = made(words.words.size());
  std::vector<float> w = weights();

  static M made(std::size_t count) {
    M m;
    m.words = count, m.dimension = dimension, m.window = window, m.negative = negative, m.sample = 0.05;
    m.hierarchical = Subject::hierarchical;
    return m;
  }

  /// In (-0.5, 0.5), and 0 where vectors are padded.
  std::vector<float> weights() const {
    std::vector<float> all(model.dim());
    std::mt19937_64 random(6);
    std::uniform_real_distribution<float> some(-0.5f, 0.5f);
    for (std::size_t half = 0; half < all.size(); half += model.width())
      for (std::size_t k = 0; k < dimension; ++k) all[half + k] = some(random);
    return all;
  }

  window_space space(isa set = isa::scalar, std::size_t batch = 4) const {
    return model.make_workspace(data, set, batch);
  }
  void take(window_space& s, std::size_t k, std::size_t row) const {
    row_cursor cursor(data);
    model.take(s, k, cursor.row(row), counter_random(3, row));
  }
  static param_reader<float> reader(std::vector<float>& values) { return {values.data(), values.size()}; }

  struct collector {
    emissions& to;
    void block(std::size_t offset, std::span<const float> g) const { to.push_back({offset, {g.begin(), g.end()}}); }
  };
  emissions gradient(window_space& s, std::size_t n) {
    emissions all;
    model.gradient(reader(w), s, n, collector{all});
    return all;
  }
  std::vector<double> summed(const emissions& all) const {
    std::vector<double> sum(model.dim());
    for (const auto& [offset, g] : all)
      for (std::size_t i = 0; i < g.size(); ++i) sum[offset + i] += static_cast<double>(g[i]);
    return sum;
  }
  double loss(window_space& s) {
    row_score scored_row;
    model.score(reader(w), s, 1, {&scored_row, 1});
    return scored_row.loss;
  }
};
using both_models = testing::Types<window_case<skip_gram, false>, window_case<cbow, false>,
                                   window_case<skip_gram, true>, window_case<cbow, true>>;
TYPED_TEST_SUITE(word_windows, both_models);

TYPED_TEST(word_windows, conform) {
  using M = typename TypeParam::model;
  static_assert(conforms<M>() && workspace_model<M> && segment_storable<M>);
  const auto groups = groups_of(this->model);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].rows * groups[0].width, this->model.dim());
}

// Along one number the loss of 14 words has at most 14 * 4 * 4 terms (four drawn words or four nodes a window), each
// with a third derivative of at most 0.1 * 0.5^3: with h = 1/64 the difference quotient is off by at most 2.8 h^2 / 6 =
// 1.2e-4. A term is a score of 5 products, off by at most 18 * 2^-24 * 5 / 4 (padding included), which both losses are
// divided by h for: 224 * 1.4e-6 * 64 = 2e-2.
TYPED_TEST(word_windows, the_gradient_is_that_of_the_loss) {
  for (const isa set : {isa::scalar, choose_isa(isa::automatic)}) {
    for (std::size_t row = 0; row < this->data.rows(); ++row) {
      window_space s = this->space(set);
      this->take(s, 0, row);
      const std::vector<double> g = this->summed(this->gradient(s, 1));
      constexpr float h = 1.0f / 64;
      double size = 0.0;
      for (std::size_t j = 0; j < g.size(); ++j) {
        if (j % this->model.width() >= dimension) {
          ASSERT_EQ(g[j], 0.0) << "padding";
          continue;
        }
        const float before = this->w[j];
        this->w[j] = before + h;
        const double above = this->loss(s);
        this->w[j] = before - h;
        const double below = this->loss(s);
        this->w[j] = before;
        ASSERT_NEAR(g[j], (above - below) / static_cast<double>(2 * h), 2.1e-2) << j;
        size += std::abs(g[j]);
      }
      if (row == 0) {
        EXPECT_GT(size, 1.0);
      }
    }
  }
}

TYPED_TEST(word_windows, nothing_is_kept_between_calls) {
  window_space s = this->space();
  this->take(s, 0, 0);
  const auto first = this->gradient(s, 1);
  this->take(s, 0, 3);
  this->gradient(s, 1);
  this->take(s, 0, 0);
  EXPECT_EQ(this->gradient(s, 1), first);
}

// Each part is a float that is halved, which is exact.
TYPED_TEST(word_windows, of_several_sentences_the_gradient_is_the_mean) {
  window_space s = this->space();
  std::vector<double> half(this->model.dim());
  for (const std::size_t row : {0u, 3u}) {
    this->take(s, 0, row);
    const auto g = this->summed(this->gradient(s, 1));
    for (std::size_t j = 0; j < g.size(); ++j) half[j] += g[j] / 2;
  }
  this->take(s, 0, 0);
  this->take(s, 1, 3);
  const auto mean = this->summed(this->gradient(s, 2));
  for (std::size_t j = 0; j < mean.size(); ++j) ASSERT_NEAR(mean[j], half[j], 1e-6) << j;
}

TYPED_TEST(word_windows, sentences_of_one_word_or_none_change_nothing) {
  window_space s = this->space();
  this->take(s, 0, 2);
  EXPECT_TRUE(this->gradient(s, 1).empty());
  this->model.take(s, 0, sparse_row<float>{}, counter_random(1, 1));
  EXPECT_TRUE(this->gradient(s, 1).empty());
  EXPECT_EQ(this->loss(s), 0.0);
}

TYPED_TEST(word_windows, huge_weights_give_finite_gradients) {
  for (float& x : this->w) x *= 1e8f;
  window_space s = this->space();
  this->take(s, 0, 0);
  EXPECT_TRUE(std::isfinite(this->loss(s)));
  for (const auto& [offset, g] : this->gradient(s, 1))
    for (const float x : g) ASSERT_TRUE(std::isfinite(x));
}

// Two topics of ten words each that never meet: 90 pairs of words within a topic end up near each other, 100 across
// topics do not.
TYPED_TEST(word_windows, words_of_a_topic_find_each_other) {
  std::mt19937_64 random(1);
  std::string topics;
  for (std::size_t line = 0; line < 400; ++line) {
    for (std::size_t k = 0; k < 10; ++k)
      topics += std::string(1, static_cast<char>((line % 2 ? 'a' : 'k') + random() % 10)) + " ";
    topics += "\n";
  }
  this->words = read_corpus(topics, "topics", {.min_count = 1});
  this->data = this->words.rows.view();
  this->model = this->made(20);
  this->model.sample = 0;
  this->w.assign(this->model.dim(), 0.0f);
  const param_view<float> view(this->w);
  this->model.init(view, counter_random(1, 2));
  struct applier {
    param_view<float> to;
    void block(std::size_t offset, std::span<const float> g) const { to.add_scaled_block(offset, g, -0.05f); }
  };
  window_space s = this->space();
  for (std::size_t epoch = 0; epoch < 20; ++epoch) {
    for (std::size_t r = 0; r < this->data.rows(); ++r) {
      this->take(s, 0, r);
      this->model.gradient(view.reader(), s, 1, applier{view});
    }
  }
  const auto topic = [&](std::size_t word) { return this->words.words.word(word)[0] < 'k'; };
  const auto cosine = [&](std::size_t a, std::size_t b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t k = 0; k < dimension; ++k) {
      const auto x = static_cast<double>(this->w[this->model.input_of(a) + k]);
      const auto y = static_cast<double>(this->w[this->model.input_of(b) + k]);
      ab += x * y, aa += x * x, bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
  };
  double within = 0, across = 0;
  for (std::size_t a = 0; a < 20; ++a)
    for (std::size_t b = 0; b < a; ++b) (topic(a) == topic(b) ? within : across) += cosine(a, b);
  EXPECT_GT(within / 90, across / 100 + 0.4);
}

}  // namespace
