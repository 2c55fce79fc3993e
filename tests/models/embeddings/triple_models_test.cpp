// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/embeddings/known_answers.hpp>
#include <hogwild/detail/embeddings/triple_composition.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/triples.hpp>
#include <hogwild/models/complex.hpp>
#include <hogwild/models/distmult.hpp>
#include <hogwild/models/rotate.hpp>
#include <hogwild/models/transe.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/saved_model.hpp>

#include "support/random_rows.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t entities = 37, relations = 3;

using fact = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

kept_rows rows_of(const std::vector<fact>& facts) {
  toy_rows rows;
  rows.columns = entities + relations;
  for (const auto& [head, relation, tail] : facts)
    rows.push({head, static_cast<std::uint32_t>(entities) + relation, tail}, {1.0f, 1.0f, 1.0f}, 0.0f);
  return kept_rows(std::move(rows));
}

std::vector<fact> random_facts(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<fact> facts(count);
  for (auto& [head, relation, tail] : facts) {
    head = static_cast<std::uint32_t>(random() % entities);
    relation = static_cast<std::uint32_t>(random() % relations);
    tail = static_cast<std::uint32_t>(random() % entities);
  }
  return facts;
}

TEST(known_answers, are_those_of_both_directions_ascending_and_each_once) {
  toy_rows rows;
  rows.columns = 5;  // entities 0 to 2, relations 3 and 4
  using row = std::vector<std::uint32_t>;
  for (const row& r : {row{0, 3, 2}, row{0, 3, 1}, row{0, 3, 2}, row{2, 4, 2}, row{0, 3}, row{0, 2}, row{0, 1, 2}})
    rows.push(r, std::vector<float>(r.size(), 1.0f), 0.0f);
  const kept_rows data(std::move(rows));
  const known_answers known(data, 3, 2);
  const auto of = [&](std::uint32_t entity, std::size_t relation) {
    const auto all = known.of(entity, relation);
    return std::vector<std::uint32_t>(all.begin(), all.end());
  };
  using answers = std::vector<std::uint32_t>;
  EXPECT_EQ(of(0, 0), (answers{1, 2}));
  EXPECT_EQ(of(2, 2), (answers{0}));
  EXPECT_EQ(of(2, 1), (answers{2}));
  EXPECT_EQ(of(2, 3), (answers{2}));
  EXPECT_EQ(of(1, 0), answers());
}

TEST(triple_composition, angles_become_their_cosines_and_sines) {
  constexpr std::size_t half = 64;
  std::vector<float> angles(half), found(2 * half);
  for (std::size_t k = 0; k < half; ++k) angles[k] = (static_cast<float>(k) - 31.5f) * 0.37f;
  unfold_relation(triple_composition::rotation, angles, found);
  for (std::size_t k = 0; k < half; ++k) {
    const auto angle = static_cast<double>(angles[k]);
    EXPECT_NEAR(static_cast<double>(found[k]), std::cos(angle), 3e-6) << angle;
    EXPECT_NEAR(static_cast<double>(found[half + k]), std::sin(angle), 3e-6) << angle;
  }
}

/// The model with sizes of these tests, and with random parameters of which many are equal.
template <class M>
struct small_model {
  M model = M::usual();
  std::vector<float> w;

  small_model() {
    model.entities = entities, model.relations = relations, model.factors = 5, model.negatives = 16;
    std::mt19937_64 random(3);
    w = random_numbers(random, model.dim());
    for (std::size_t j = 0; j < w.size(); ++j)
      w[j] = j % padded_to_lanes(model.factors) < model.factors ? std::round(1.5f * w[j]) : 0.0f;
  }

  /// The place of the answer among all entities but those that are known, by scores of one triple after the other.
  double place(const fact& of, bool asks_for_tail, const std::set<fact>& known) const {
    const std::uint32_t head = std::get<0>(of), relation = std::get<1>(of), tail = std::get<2>(of);
    const std::uint32_t answer = asks_for_tail ? tail : head;
    // Asked backwards, the inverse relation's parameters stand in the place of the relation's.
    std::vector<float> at = w;
    if (!asks_for_tail) {
      const auto forwards = at.begin() + static_cast<std::ptrdiff_t>(model.relation_row(0)),
                 backwards = at.begin() + static_cast<std::ptrdiff_t>(model.relation_row(relations));
      std::swap_ranges(forwards, backwards, backwards);
    }
    const auto score = [&](std::uint32_t e) {
      const std::uint32_t columns[] = {asks_for_tail ? head : tail, static_cast<std::uint32_t>(entities) + relation, e};
      return model.score_of_triple(at, columns);
    };
    double place = 1.0;
    for (std::uint32_t e = 0; e < entities; ++e) {
      const fact other = asks_for_tail ? fact(head, relation, e) : fact(e, relation, tail);
      if (e == answer || known.contains(other)) continue;
      // Equal numbers are rounded in one order here, and in another by the table.
      const float gap = score(e) - score(answer);
      place += gap > 1e-4f ? 1.0 : gap > -1e-4f ? 0.5 : 0.0;
    }
    return place;
  }
};

template <class M>
class triple_measures : public testing::Test {};
using models_of_triples = testing::Types<transe, distmult, complex, rotate>;
TYPED_TEST_SUITE(triple_measures, models_of_triples);

TYPED_TEST(triple_measures, places_are_those_of_a_naive_ranking) {
  const small_model<TypeParam> of;
  const std::vector<fact> trained = random_facts(150, 5), asked = random_facts(60, 6);
  std::set<fact> known(trained.begin(), trained.end());
  known.insert(asked.begin(), asked.end());
  // The last ten are known, and not asked for.
  constexpr std::size_t not_asked = 10;
  std::vector<float> weights(asked.size(), 1.0f);
  std::fill(weights.end() - not_asked, weights.end(), 0.0f);
  const kept_rows training = rows_of(trained), given = rows_of(asked);
  sparse_view measured = given;
  measured.weight = weights;

  double reciprocal = 0.0, first = 0.0, three = 0.0, ten = 0.0;
  const std::size_t count = asked.size() - not_asked;
  for (std::size_t k = 0; k < count; ++k) {
    for (const bool tail : {false, true}) {
      const double place = of.place(asked[k], tail, known);
      reciprocal += 1.0 / place;
      first += place < 1.5;
      three += place < 3.5;
      ten += place < 10.5;
    }
  }
  measurement found;
  of.model.measure(
      of.w, of.model.make_side(training), measured, static_cast<std::size_t>(-1), [](const auto& body) { body(); },
      isa::automatic, {}, found);
  const auto n = static_cast<double>(2 * count);
  EXPECT_NEAR(found.mrr.value(), reciprocal / n, 1e-9);
  EXPECT_NEAR(found.hits_at_1.value(), first / n, 1e-9);
  EXPECT_NEAR(found.hits_at_3.value(), three / n, 1e-9);
  EXPECT_NEAR(found.hits_at_10.value(), ten / n, 1e-9);
}

TYPED_TEST(triple_measures, a_saved_model_has_all_parameters) {
  small_model<TypeParam> of;
  of.model.negatives = 7, of.model.loss = target_loss::hinge, of.model.margin = 2.0f, of.model.temperature = 0.5f;
  std::vector<std::uint32_t> original;  // later entities have smaller numbers
  for (std::uint32_t e = 0; e < entities; ++e) original.push_back(entity_column(entities - e));
  for (std::uint32_t r = 0; r < relations; ++r) original.push_back(relation_column(r * r));
  saved_model saved = to_saved(of.model, of.w, {}, original);
  const predictor loaded(saved);
  // Saved columns ascend, and so do the loaded model's entities and relations.
  ASSERT_EQ(loaded.columns().size(), original.size());
  std::vector<float> reversed = of.w;
  const std::size_t width = of.model.width();
  for (std::size_t e = 0; e < entities; ++e)
    std::copy_n(of.w.begin() + static_cast<std::ptrdiff_t>(e * width), width,
                reversed.begin() + static_cast<std::ptrdiff_t>((entities - 1 - e) * width));
  EXPECT_TRUE(std::ranges::equal(loaded.parameters(), reversed));
  // The loss is that of training.
  const auto& same = std::get<TypeParam>(loaded.model());
  EXPECT_EQ(same.negatives, 7u);
  EXPECT_EQ(same.loss, target_loss::hinge);
  EXPECT_EQ(same.margin, 2.0f);
  EXPECT_EQ(same.temperature, 0.5f);

  saved.width += 1;
  saved.weights.resize(saved.columns.size() * saved.width);
  EXPECT_THROW(predictor{saved}, input_error);
}

TEST(left_out_triples, with_something_unknown_have_no_place) {
  const small_model<distmult> of;
  toy_rows rows;
  rows.columns = entities + relations;
  rows.push({1, entities}, {1.0f, 1.0f}, 0.0f);
  const kept_rows data(std::move(rows));
  measurement found;
  of.model.measure(
      of.w, of.model.make_side(data), data, static_cast<std::size_t>(-1), [](const auto& body) { body(); },
      isa::automatic, {}, found);
  EXPECT_FALSE(found.mrr.has_value());
}

// Each of 1600 numbers is left out with the chance 1/4, so 400 are, with a standard deviation of 17.3; in another
// number than 400 +- 87 it would be one run in a million. The draws are the same always.
TEST(triple_space, dropout_leaves_out_this_fraction_of_a_question) {
  distmult m = distmult::usual();
  m.entities = entities, m.relations = relations, m.factors = 1600, m.negatives = 16;
  m.dropout = 0.25f, m.n3 = 0.0f;
  std::mt19937_64 random(8);
  std::vector<float> w = random_numbers(random, m.dim());
  const kept_rows rows = rows_of({{1, 0, 2}});
  triple_space space = m.make_workspace(rows, isa::automatic, 1);
  std::size_t left_out = 0;
  struct {
    const distmult& m;
    std::size_t& zeros;
    void block(std::size_t offset, std::span<const float> g) const {
      if (offset == m.relation_row(0)) zeros = static_cast<std::size_t>(std::ranges::count(g, 0.0f));
    }
  } const emit{m, left_out};
  row_cursor cursor{sparse_view(rows)};
  m.take(space, 0, cursor.row(0), counter_random(2, 3));
  m.gradient(param_reader<float>(w.data(), w.size()), space, 1, emit);
  EXPECT_NEAR(static_cast<double>(left_out), 400.0, 87.0);
}

}  // namespace
