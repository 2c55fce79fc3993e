// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/text_classifier.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/models/quantised_text.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>
#include <hogwild/registry.hpp>

#include "support/random_rows.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// A text that owns its entries and labels.
struct owned_text {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint32_t> labels;
  float weight = 1.0f;

  /// A list of no labels is a list, too.
  sparse_row<float> row() const {
    static constexpr std::uint32_t none = 0;
    return {columns, values, 0.0f, {labels.empty() ? &none : labels.data(), labels.size()}, weight};
  }
};

const std::vector<owned_text> some_texts{{{0, 3, 5}, {1.0f, 2.0f, 1.0f}, {4}},
                                         {{1}, {0.25f}, {0, 2, 17}},
                                         {{2, 3}, {1.0f, -3.0f}, {18}, 2.5f},
                                         {{4, 0}, {0.5f, 0.5f}, {1, 3}}};

constexpr text_classifier small{.features = 6, .classes = 19, .dimension = 20};

/// Parameters that are not small, with zeros for padding.
std::vector<float> parameters_of(const text_classifier& m, double most = 1.5) {
  std::vector<float> all = noise_vector(m.dim(), 3, -most, most);
  for (std::size_t j = 0; j < all.size(); ++j)
    if (j % m.width() >= m.dimension) all[j] = 0.0f;
  return all;
}

double part_of(const owned_text& t, std::size_t i) {
  double all = 0.0;
  for (const float x : t.values) all += std::abs(static_cast<double>(x));
  return static_cast<double>(t.values[i]) / all;
}

/// The scores of all labels by the formula.
std::vector<double> scores_of(const text_classifier& m, std::span<const float> w, const owned_text& t) {
  std::vector<double> scores(m.classes);
  for (std::size_t c = 0; c < m.classes; ++c)
    for (std::size_t i = 0; i < t.columns.size(); ++i)
      for (std::size_t k = 0; k < m.dimension; ++k)
        scores[c] += part_of(t, i) * static_cast<double>(w[m.row_of(t.columns[i]) + k]) *
                     static_cast<double>(w[m.row_of(m.features + c) + k]);
  return scores;
}

double loss_by_formula(const std::vector<double>& scores, const std::vector<std::uint32_t>& labels, bool one_vs_rest) {
  double sum = 0.0, loss = 0.0;
  for (const double s : scores) sum += std::exp(s);
  for (const double s : scores) loss += one_vs_rest ? std::log1p(std::exp(s)) : 0.0;
  for (const std::uint32_t y : labels)
    loss += one_vs_rest ? -scores[y] : (std::log(sum) - scores[y]) / static_cast<double>(labels.size());
  return loss;
}

text_space space_of(const text_classifier& m, const std::vector<owned_text>& texts, isa set = isa::automatic,
                    std::uint64_t seed = 1) {
  text_space space = m.make_workspace({}, set, texts.size());
  for (std::size_t k = 0; k < texts.size(); ++k) m.take(space, k, texts[k].row(), counter_random(seed, k));
  return space;
}

/// Adds up what is emitted.
struct summed {
  std::vector<float>& to;
  void block(std::size_t offset, std::span<const float> g) const {
    for (std::size_t i = 0; i < g.size(); ++i) to[offset + i] += g[i];
  }
};

std::vector<float> gradient_of(const text_classifier& m, std::span<const float> w, text_space& space, std::size_t n) {
  std::vector<float> g(m.dim());
  m.gradient(detail::quiet_reader<>{w}, space, n, summed{g});
  return g;
}

double loss_of(const text_classifier& m, std::span<const float> w, text_space& space, std::size_t n) {
  std::vector<row_score> said(n);
  m.score(detail::quiet_reader<>{w}, space, n, said);
  double sum = 0.0;
  for (const row_score& each : said) sum += each.loss;
  return sum;
}

TEST(text_classifier, scores_and_losses_are_those_of_the_formula) {
  for (const bool one_vs_rest : {false, true}) {
    text_classifier m = small;
    m.one_vs_rest = one_vs_rest;
    const std::vector<float> w = parameters_of(m);
    text_space space = space_of(m, some_texts);
    std::vector<row_score> said(some_texts.size());
    std::vector<float> of_classes(said.size() * m.classes);
    m.score(detail::quiet_reader<>{w}, space, said.size(), said, of_classes);
    for (std::size_t k = 0; k < said.size(); ++k) {
      const std::vector<double> expected = scores_of(m, w, some_texts[k]);
      for (std::size_t c = 0; c < m.classes; ++c)
        EXPECT_NEAR(static_cast<double>(of_classes[k * m.classes + c]), expected[c], 1e-5);
      EXPECT_NEAR(said[k].loss, loss_by_formula(expected, some_texts[k].labels, one_vs_rest), 1e-4);
      EXPECT_EQ(static_cast<std::ptrdiff_t>(said[k].score), std::ranges::max_element(expected) - expected.begin());
    }
  }
}

// The partials of the scores of a text are p - 1 for the label that was drawn, and p for all others.
TEST(text_classifier, each_label_of_a_text_is_drawn) {
  const std::vector<float> w = parameters_of(small, 0.3);
  const owned_text& t = some_texts[1];
  const std::vector<double> s = scores_of(small, w, t);
  double all = 0.0;
  for (const double x : s) all += std::exp(x);
  std::map<std::uint32_t, int> drawn;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {  // one of three is left out with a chance of 3 (2/3)^64 < 2e-11
    text_space space = space_of(small, {t}, isa::automatic, seed);
    const std::vector<float> g = gradient_of(small, w, space, 1);
    for (std::uint32_t c = 0; c < small.classes; ++c) {
      const double slope = static_cast<double>(g[small.row_of(small.features + c)] / w[small.row_of(1)]);
      const double p = std::exp(s[c]) / all;
      if (slope < 0.0) ++drawn[c];
      EXPECT_NEAR(slope, slope < 0.0 ? p - 1.0 : p, 1e-4);
    }
  }
  int found = 0;
  for (const std::uint32_t label : t.labels) found += drawn[label];
  EXPECT_EQ(drawn.size(), t.labels.size());
  EXPECT_EQ(found, 64);
}

TEST(text_classifier, a_text_without_known_columns_or_without_labels_changes_nothing) {
  const std::vector<float> w = parameters_of(small);
  text_space space = space_of(small, {{{}, {}, {3}}, {{2}, {0.0f}, {5}}, {{1}, {1.0f}, {}}});
  for (const float g : gradient_of(small, w, space, 3)) ASSERT_EQ(g, 0.0f);
  std::vector<row_score> said(3);
  small.score(detail::quiet_reader<>{w}, space, 3, said);
  EXPECT_NEAR(said[0].loss, std::log(19.0), 1e-6);
  EXPECT_EQ(said[2].loss, 0.0);
}

constexpr std::size_t times = 64;
/// Four texts of a word each, `times` times, which pull the same rows the same way.
std::vector<owned_text> texts_that_agree() {
  std::vector<owned_text> texts;
  for (std::uint32_t k = 0; k < 4 * times; ++k) texts.push_back({{k % 2}, {1.0f}, {k % 2 == 0 ? 0u : k % 4}});
  return texts;
}

/// The largest change of a score by a step of 1 along the gradient of labels, or of columns.
double largest_change(const text_classifier& m, const std::vector<owned_text>& texts, const std::vector<float>& w,
                      const std::vector<float>& gradient, bool of_labels) {
  const std::size_t first = of_labels ? m.row_of(m.features) : 0, last = of_labels ? m.dim() : m.row_of(m.features);
  std::vector<float> next = w;
  for (std::size_t j = first; j < last; ++j) next[j] -= gradient[j];
  double most = 0.0;
  for (const owned_text& t : std::span(texts).first(4)) {
    const std::vector<double> before = scores_of(m, w, t), after = scores_of(m, next, t);
    for (std::size_t c = 0; c < m.classes; ++c) most = std::max(most, std::abs(after[c] - before[c]));
  }
  return most;
}

TEST(text_classifier, a_column_that_is_no_part_of_its_text_stays_as_it_is) {
  const std::vector<owned_text> texts{{{1, 2}, {1e-30f, 1e30f}, {4}}, {{2, 3}, {1e30f, 1e30f}, {0}}};
  text_space space = space_of(small, texts);
  const std::vector<float> w = parameters_of(small), g = gradient_of(small, w, space, texts.size());
  const auto moves = [&](std::size_t column) {
    return std::ranges::any_of(std::span(g).subspan(small.row_of(column), small.width()),
                               [](float x) { return x != 0.0f; });
  };
  EXPECT_FALSE(moves(1));
  EXPECT_TRUE(moves(2) && moves(3));
}

TEST(text_classifier, no_block_changes_a_score_too_much) {
  const std::vector<owned_text> texts = texts_that_agree();
  for (const bool one_vs_rest : {false, true}) {
    const text_classifier m{.features = 2, .classes = 4, .dimension = 16, .one_vs_rest = one_vs_rest};
    const std::vector<float> begin = parameters_of(m);
    text_space space = space_of(m, texts), alone = space_of(m, {texts[0]});
    std::vector<float> sum(m.dim()), w = begin;
    for (const owned_text& t : std::span(texts).first(4)) {
      m.take(alone, 0, t.row(), counter_random(1, 1));
      const std::vector<float> g = gradient_of(m, begin, alone, 1);
      for (std::size_t j = 0; j < g.size(); ++j) sum[j] += float{times} * g[j];
    }
    const std::vector<float> limited = gradient_of(m, begin, space, texts.size());
    for (const bool of_labels : {false, true}) {
      EXPECT_GT(largest_change(m, texts, begin, sum, of_labels), 3.0 * text_space::most_change) << "no problem here";
      EXPECT_LT(largest_change(m, texts, begin, limited, of_labels), 1.001 * text_space::most_change);
    }
    for (int step = 0; step < 50; ++step) {
      const std::vector<float> g = gradient_of(m, w, space, texts.size());
      for (std::size_t j = 0; j < w.size(); ++j) w[j] -= g[j];
    }
    EXPECT_LT(loss_of(m, w, space, texts.size()), loss_of(m, begin, space, texts.size()));
  }
}

TEST(text_classifier, blocks_have_the_same_bits_on_every_instruction_set) {
  const std::vector<float> w = parameters_of(small);
  std::vector<float> first;
  for (const isa set : instruction_sets_here()) {
    text_space space = space_of(small, some_texts, set);
    const std::vector<float> g = gradient_of(small, w, space, some_texts.size());
    if (first.empty()) first = g;
    EXPECT_EQ(g, first) << name_of(set);
  }
}

TEST(text_classifier, saved_rows_come_back_without_padding) {
  text_classifier m = small;
  m.classes = 3, m.one_vs_rest = true;
  const std::vector<float> w = parameters_of(m);
  const std::vector<std::uint32_t> original{60, 10, 50, 20, 40, 30};
  const label_map labels(label_kind::classes, {7.0, 8.0, 9.0});
  const saved_model saved = to_saved(m, w, labels, original);
  EXPECT_EQ(saved.width, m.dimension);
  EXPECT_EQ(saved.bias.size(), 3 * m.dimension);
  EXPECT_EQ(saved.row(0)[1], w[m.row_of(1) + 1]);
  const predictor known(saved);
  const std::vector<std::uint32_t> first_and_last{0, 5};
  const std::vector<float> values{1.0f, 3.0f};
  const std::vector<double> expected = scores_of(m, w, {{1, 0}, values, {0}});
  const class_scores said = known.scores_of({first_and_last, values, 0.0f});
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(static_cast<double>(said.scores[c]), expected[c], 1e-5);
    EXPECT_NEAR(known.probabilities({first_and_last, values, 0.0f})[c], 1.0 / (1.0 + std::exp(-expected[c])), 1e-5);
  }
  saved_model cut = saved;
  cut.bias.pop_back();
  EXPECT_THROW(predictor{cut}, input_error);
  EXPECT_THROW(to_saved(m, std::span(w).first(9), labels, original), config_error);
}

/// A saved model of 300 columns, whose vectors are the longer the larger their numbers are.
saved_model with_300_columns() {
  const text_classifier m{.features = 300, .classes = 3, .dimension = 6};
  std::vector<float> w = parameters_of(m);
  std::vector<std::uint32_t> original;
  for (std::uint32_t column = 0; column < m.features; ++column) {
    original.push_back(column + 1);
    for (float& x : std::span(w).subspan(m.row_of(column), m.dimension))
      x *= 0.01f * static_cast<float>(column * column);
  }
  return to_saved(m, w, label_map(label_kind::classes, {7.0, 8.0, 9.0}), original);
}

TEST(text_classifier, the_longest_vectors_are_left_and_quantised) {
  const saved_model saved = with_300_columns();
  const saved_model made = quantised_text(saved, {.rows = {.part = 3}, .labels = true, .cutoff = 260}, "m");
  EXPECT_EQ(made.columns.size(), 260u);
  EXPECT_EQ(made.columns.back(), 300u);
  EXPECT_GT(made.columns[0], 10u) << "short vectors go";
  EXPECT_TRUE(made.quantised_weights && made.quantised_bias);
  EXPECT_EQ(made.bias, saved.bias) << "three labels have no more parts than there are centroids";
  EXPECT_EQ(parse_model(model_bytes(made, model_format::binary), "m"), made);
  EXPECT_LT(model_bytes(made, model_format::binary).size(), model_bytes(saved, model_format::binary).size());
  const std::vector<std::uint32_t> last{259};
  const std::vector<float> one{1.0f};
  EXPECT_EQ(predictor(made).scores_of({last, one, 0.0f}).scores.size(), 3u);
  EXPECT_EQ(quantised_text(saved, {.cutoff = 1000}, "m").columns, saved.columns);
}

// The last of many words have numbers that are far from the first one.
TEST(text_classifier, words_that_are_left_have_numbers_without_gaps) {
  table_schema schema{.text = named_text::labelled_text, .value_bits = 30};
  schema.columns = {{.name = "word", .kind = table_kind::text},
                    {.name = "ngram", .kind = table_kind::interaction},
                    {.name = "subword", .kind = table_kind::interaction}};
  schema.values.resize(3), schema.labels = {"cold", "warm"};
  saved_model saved{.model = "text_classifier", .width = 1};
  saved.labels = label_map(label_kind::classes, {0.0, 1.0}), saved.bias = {1.0f, 2.0f};
  for (std::uint32_t word = 0; word < 80'000; ++word) {
    schema.values[0].push_back("w" + std::to_string(word));
    saved.columns.push_back(word + 2);
    saved.weights.push_back(static_cast<float>(word));
  }
  saved.columns.push_back((1u << 30) + 12'346);
  saved.weights.push_back(1e6f);
  keep_schema(schema, saved);
  const saved_model made = quantised_text(saved, {.cutoff = 3}, "m");
  const saved_model read = parse_model(model_bytes(made, model_format::binary), "m");
  EXPECT_EQ(read, made);
  EXPECT_EQ(read.columns, (std::vector<std::uint32_t>{2, 3, (1u << 30) + 12'346}));
  EXPECT_EQ(read.names, (std::vector<std::string>{"word=w79998", "word=w79999", "ngram=#12345"}));
  EXPECT_EQ(schema_of(read, "m")->values[0], (std::vector<std::string>{"w79998", "w79999"}));
}

TEST(text_classifier, only_what_was_trained_is_quantised) {
  const saved_model saved = with_300_columns(), made = quantised_text(saved, {}, "m");
  EXPECT_THROW(quantised_text(made, {}, "m"), config_error);
  EXPECT_THROW(quantised_text(saved, {.rows = {.part = 17}}, "m"), config_error);
  EXPECT_THROW(quantised_text(saved, {.rows = {.part = 0}}, "m"), config_error);
  saved_model other = saved;
  other.model = "softmax";
  EXPECT_THROW(quantised_text(other, {}, "m"), config_error);
  saved_model empty = saved;
  empty.width = 0, empty.weights.clear(), empty.bias.clear();
  EXPECT_THROW(quantised_text(empty, {}, "m"), config_error);
  const text_classifier m{.features = 300, .classes = 3, .dimension = 6};
  std::vector<float> parameters(m.dim());
  EXPECT_THROW(warm_start(made, m, made.columns, {}, parameters), config_error);
  EXPECT_GT(warm_start(saved, m, saved.columns, {}, parameters), 0u);
}

}  // namespace
