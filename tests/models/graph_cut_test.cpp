// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/graph_cut.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/graphs.hpp>
#include <hogwild/registry.hpp>

namespace {

using namespace hogwild;

double distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2.0);
  return std::sqrt(sum);
}

std::vector<float> projected(std::vector<float> x) {
  project_to_simplex(x);
  return x;
}

/// Any point, in thousandths.
rc::Gen<std::vector<float>> points(std::size_t sides) {
  return rc::gen::map(rc::gen::container<std::vector<int>>(sides, rc::gen::inRange(-3000, 3000)),
                      [](const std::vector<int>& thousandths) {
                        std::vector<float> x;
                        for (const int t : thousandths) x.push_back(static_cast<float>(t) / 1000.0f);
                        return x;
                      });
}

// Entries are below 4 in size, floats there are good to 2.4e-7, and a sum of at most 9 of them to 3e-6.
RC_GTEST_PROP(simplex, has_the_projection_as_its_nearest_point, ()) {
  const std::size_t sides = *rc::gen::inRange<std::size_t>(2, 10);
  const std::vector<float> x = *points(sides), p = projected(x);
  double sum = 0.0;
  for (const float each : p) {
    RC_ASSERT(each >= 0.0f);
    sum += static_cast<double>(each);
  }
  RC_ASSERT(std::abs(sum - 1.0) < 3e-6);
  RC_ASSERT(distance(projected(p), p) < 3e-6);
  // Any other point of the simplex: no corner, and nothing on the way to one, is nearer.
  for (std::size_t d = 0; d < sides; ++d) {
    for (const float fraction : {0.01f, 0.3f, 1.0f}) {
      std::vector<float> other = p;
      for (float& each : other) each *= 1.0f - fraction;
      other[d] += fraction;
      RC_ASSERT(distance(x, p) <= distance(x, other) + 1e-5);
    }
  }
}

TEST(simplex, is_projected_on_as_by_hand) {
  EXPECT_EQ(projected({0.25f, 0.75f}), (std::vector<float>{0.25f, 0.75f}));
  EXPECT_EQ(projected({2.0f, 0.5f}), (std::vector<float>{1.0f, 0.0f}));
  EXPECT_EQ(projected({0.75f, 0.75f}), (std::vector<float>{0.5f, 0.5f}));
  // 0.5 leaves first: lowered by (1.5 + 1 - 1) / 2 = 0.75.
  EXPECT_EQ(projected({1.5f, 0.5f, 1.0f}), (std::vector<float>{0.75f, 0.0f, 0.25f}));
  EXPECT_EQ(projected({-5.0f, -5.0f, -5.0f, -5.0f}), (std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f}));
  EXPECT_EQ(graph_cut({.nodes = 2}).dim(), 4u);
}

// Entries that are lost by rounding in the sum of all were once taken out and put back endlessly.
TEST(simplex, is_reached_from_beside_a_corner) {
  EXPECT_EQ(projected({1.0f, 0x1.0ep-53f, 0x1.0ep-53f})[0], 1.0f);
  EXPECT_EQ(projected({1.0f, 0x1.6e96fp-38f, 0x1.6e96fp-38f, 0x1.6e96fp-37f})[0], 1.0f);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<float> any(-1.0f, 1.0f);
  for (int point = 0; point < 20'000; ++point) {
    std::vector<float> x(3 + random() % 4);
    const float scale = std::ldexp(1.0f, -static_cast<int>(random() % 60));
    for (float& each : x) each = any(random) * scale;
    x[0] += 1.0f;
    if (point % 2 == 0) x[1] = x[2];
    double sum = 0.0;
    for (const float each : projected(x)) sum += static_cast<double>(each);
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

/// Two nodes (columns 0 and 1) and a terminal of each of three sides (columns 2, 3, 4: sides 1, 0, 2).
class cut_of_three : public testing::Test {
 protected:
  graph_cut model{.nodes = 2, .sides = 3, .unit = 2.0f};
  std::vector<std::uint32_t> original{node_column(7), node_column(3), terminal_column(1), terminal_column(0),
                                      terminal_column(2)};
  std::vector<float> w{0.5f, 0.25f, 0.25f, 0.125f, 0.25f, 0.625f};

  using emissions = std::vector<std::pair<std::size_t, std::vector<float>>>;
  struct collector {
    emissions& to;
    void block(std::size_t offset, std::span<const float> g) const { to.push_back({offset, {g.begin(), g.end()}}); }
  };

  graph_cut_space space() const {
    sparse_view data;
    data.columns = original.size();
    data.original = original;
    return model.make_workspace(data, isa::scalar, 4);
  }
  param_reader<float> reader() { return {w.data(), w.size()}; }
  /// An edge, or with one column a node.
  graph_cut_space taken(std::vector<std::uint32_t> columns, std::vector<float> values, float label) const {
    graph_cut_space s = space();
    model.take(s, 0, {columns, values, label}, counter_random(1, 1));
    return s;
  }
  emissions gradient(graph_cut_space s, std::size_t n = 1) {
    emissions all;
    model.gradient(reader(), s, n, collector{all});
    return all;
  }
  row_score score_of(graph_cut_space s) {
    row_score v;
    model.score(reader(), s, 1, {&v, 1});
    return v;
  }
};

TEST_F(cut_of_three, moves_both_ends_towards_each_other) {
  const auto edge = taken({0, 1}, {4.0f, 4.0f}, -1.0f);
  // c / 2 in units of 2: 1. The second entries are alike.
  EXPECT_EQ(gradient(edge), (emissions{{0, {1.0f, 0.0f, -1.0f}}, {3, {-1.0f, 0.0f, 1.0f}}}));
  EXPECT_DOUBLE_EQ(score_of(edge).loss, 1.0 * (0.375 + 0.0 + 0.375));
  EXPECT_EQ(score_of(edge).score, 4.0f);  // sides 0 and 2
}

TEST_F(cut_of_three, never_moves_a_terminal) {
  const auto to_side_one = taken({0, 2}, {2.0f, 2.0f}, -1.0f);
  // (0.5, -0.5, 0.5); 1/6 of each would lead out of the plane.
  const emissions moved = gradient(to_side_one);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].first, 0u);
  const float third = 1.0f / 3.0f, expected[] = {third, -2.0f * third, third};
  for (std::size_t d = 0; d < 3; ++d) EXPECT_FLOAT_EQ(moved[0].second[d], expected[d]);
  EXPECT_DOUBLE_EQ(score_of(to_side_one).loss, 0.5 * (0.5 + 0.75 + 0.25));
  const auto between = taken({3, 4}, {2.0f, 2.0f}, -1.0f);
  EXPECT_TRUE(gradient(between).empty());
  EXPECT_DOUBLE_EQ(score_of(between).loss, 1.0);
  EXPECT_EQ(score_of(between).score, 2.0f);
}

TEST_F(cut_of_three, reads_what_lies_beside_the_simplex_as_its_nearest_point) {
  w = {2.0f, 0.5f, -1.0f, 0.0f, 3.0f, 0.0f};
  const auto edge = taken({0, 1}, {4.0f, 4.0f}, -1.0f);
  EXPECT_DOUBLE_EQ(score_of(edge).loss, 2.0);  // from corner to corner
  EXPECT_EQ(gradient(edge), (emissions{{0, {1.0f, -1.0f, 0.0f}}, {3, {-1.0f, 1.0f, 0.0f}}}));
}

TEST_F(cut_of_three, says_the_side_of_a_node_and_nothing_of_ends_that_it_does_not_know) {
  EXPECT_EQ(score_of(taken({1}, {1.0f}, 2.0f)).score, 2.0f);
  EXPECT_EQ(score_of(taken({2}, {1.0f}, 0.0f)).score, 1.0f);
  EXPECT_TRUE(gradient(taken({1}, {1.0f}, 2.0f)).empty());
  for (const auto& s : {taken({0}, {1.0f}, -1.0f), taken({}, {}, -1.0f), taken({}, {}, 1.0f)}) {
    EXPECT_TRUE(gradient(s).empty());
    EXPECT_EQ(score_of(s).score, 0.0f);
    EXPECT_EQ(score_of(s).loss, 0.0);
  }
}

TEST_F(cut_of_three, is_made_for_the_columns_of_its_graph_alone) {
  const auto check = [&] {
    sparse_view data;
    data.columns = 5;
    data.original = original;
    model.require_data(data, "these data");
  };
  EXPECT_NO_THROW(check());
  original[3] = terminal_column(3);
  EXPECT_THROW(check(), config_error);
  original[3] = node_column(9);
  EXPECT_THROW(check(), config_error);
  original.clear();
  EXPECT_THROW(check(), config_error);
}

TEST_F(cut_of_three, is_saved_with_its_terminals_in_their_corners) {
  const saved_model saved = to_saved(model, w, label_map(label_kind::real, {}), original);
  EXPECT_EQ(saved.columns, (std::vector<std::uint32_t>{2, 4, 6, 7, 15}));
  EXPECT_EQ(saved.weights, (std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0.125f, 0.25f, 0.625f, 0.5f, 0.25f, 0.25f}));
  const predictor sides(saved);
  const std::vector<std::uint32_t> ends{3, 4};
  const std::vector<float> capacities{4.0f, 4.0f};
  EXPECT_EQ(sides.label({std::span(ends).first(1), std::span(capacities).first(1), 0.0f}), 2.0);
  EXPECT_EQ(sides.score({ends, capacities, -1.0f}), 4.0f);
  EXPECT_DOUBLE_EQ(sides.loss({ends, capacities, -1.0f}), 0.75);
  EXPECT_THROW(to_saved(model, std::span(w).first(3), label_map(label_kind::real, {}), original), config_error);
  saved_model cut_short = saved;
  cut_short.weights.pop_back();
  EXPECT_THROW(predictor{cut_short}, input_error);
  for (const double unit : {0.0, -1.0, 1e-60, 1e60}) {
    saved_model damaged = saved;
    damaged.model_options = {{"unit", unit}};
    EXPECT_THROW(predictor{damaged}, input_error) << unit;
  }
  saved_model without = saved;
  without.model_options.clear();
  EXPECT_THROW(predictor{without}, input_error);
}

TEST_F(cut_of_three, is_not_read_from_terminals_that_have_left_their_corners) {
  const saved_model saved = to_saved(model, w, label_map(label_kind::real, {}), original);
  saved_model drifted = saved, of_two = saved, beyond = saved, none = saved;
  drifted.weights[0] = 0.75f;
  of_two.weights[1] = 1.0f;
  beyond.columns[2] = terminal_column(3);
  none.columns[0] = 0;
  const std::vector<std::pair<const saved_model*, std::string>> cases{
      {&drifted, "2"}, {&of_two, "2"}, {&beyond, "8"}, {&none, "0"}};
  for (const auto& [wrong, column] : cases) {
    try {
      const predictor sides(*wrong);
      ADD_FAILURE() << column;
    } catch (const input_error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(
                                "column " + column +
                                " of the saved graph_cut model should be a terminal in the corner of one of 3 sides"));
    }
  }
}

TEST(cut_of_two, takes_the_capacity_of_the_direction_that_is_cut) {
  const graph_cut model{.nodes = 2, .sides = 2};
  std::vector<float> w{0.75f, 0.25f, 0.25f, 0.75f};
  sparse_view data;
  data.columns = 2;
  graph_cut_space s = model.make_workspace(data, isa::scalar, 1);
  const std::vector<std::uint32_t> forth{0, 1}, back{1, 0};
  const std::vector<float> capacities{3.0f, 5.0f};
  row_score v;
  model.take(s, 0, {forth, capacities, -1.0f}, counter_random(1, 1));
  model.score(param_reader<float>(w.data(), 4), s, 1, {&v, 1});
  EXPECT_EQ(v.score, 3.0f);
  EXPECT_DOUBLE_EQ(v.loss, 1.5);
  model.take(s, 0, {back, capacities, -1.0f}, counter_random(1, 1));
  model.score(param_reader<float>(w.data(), 4), s, 1, {&v, 1});
  EXPECT_EQ(v.score, 5.0f);
  EXPECT_DOUBLE_EQ(v.loss, 2.5);
}

/// The laws of every model with a workspace, on random edges of a graph with terminals.
class graph_cut_law : public cut_of_three {
 protected:
  std::mt19937_64 random{5};

  void SetUp() override {
    model = {.nodes = 9, .sides = 4, .unit = 0.7f};
    original.clear();
    for (std::uint32_t v = 0; v < 9; ++v) original.push_back(node_column(v));
    for (std::uint32_t t = 0; t < 4; ++t) original.push_back(terminal_column(t));
    w.resize(model.dim());
    std::uniform_real_distribution<float> any(0.0f, 1.0f);
    for (float& x : w) x = any(random);
    model.project(w, 0.0f);
  }
  graph_cut_space any_edge() {
    const auto u = static_cast<std::uint32_t>(random() % 9), other = static_cast<std::uint32_t>(random() % 12);
    const float c = static_cast<float>(1 + random() % 5);
    return taken({u, other < u ? other : other + 1}, {c, c}, -1.0f);
  }
};

TEST_F(graph_cut_law, conforms_and_its_groups_cover_its_parameters) {
  static_assert(workspace_model<graph_cut> && conforms<graph_cut>() && segment_storable<graph_cut>);
  std::size_t covered = 0;
  for (const parameter_group& g : groups_of(model)) {
    EXPECT_EQ(g.offset, covered);
    covered += g.rows * g.width;
  }
  EXPECT_EQ(covered, model.dim());
}

// Along the simplex: what one entry of a node gains, its next one loses. Between its kinks the loss is linear, so that
// a difference is exact but for the rounding of w + h: 4 * 2^-24 / h * c / unit < 8e-3 with h = 2^-12. Kinks within h
// are left out.
TEST_F(graph_cut_law, gradient_is_the_derivative_of_the_loss) {
  constexpr float h = 0x1p-12f;
  std::size_t compared = 0;
  for (int edge = 0; edge < 50; ++edge) {
    const graph_cut_space s = any_edge();
    std::vector<float> g(model.dim());
    for (const auto& [offset, part] : gradient(s))
      std::ranges::copy(part, g.begin() + static_cast<std::ptrdiff_t>(offset));
    const double here = score_of(s).loss;
    for (std::size_t j = 0; j < model.dim(); ++j) {
      const std::size_t next = j % model.sides + 1 < model.sides ? j + 1 : j + 1 - model.sides;
      const std::vector<float> kept = w;
      w[j] += h, w[next] -= h;
      const double up = score_of(s).loss;
      w = kept;
      w[j] -= h, w[next] += h;
      const double down = score_of(s).loss;
      w = kept;
      if (std::abs(up + down - 2.0 * here) > 1e-5) continue;
      ++compared;
      const double along = static_cast<double>(g[j]) - static_cast<double>(g[next]);
      EXPECT_NEAR(along, (up - down) / (2.0 * static_cast<double>(h)), 8e-3);
    }
  }
  EXPECT_GT(compared, 1500u);
}

TEST_F(graph_cut_law, keeps_nothing_between_calls_and_emits_in_one_group) {
  const graph_cut_space s = any_edge();
  const emissions first = gradient(s);
  gradient(any_edge());
  EXPECT_EQ(gradient(s), first);
  for (const auto& [offset, part] : first) {
    EXPECT_EQ(part.size(), model.sides);
    EXPECT_LE(offset + part.size(), model.dim());
    EXPECT_EQ(offset % model.sides, 0u);
  }
}

TEST_F(graph_cut_law, stays_finite_and_comes_back_from_anywhere) {
  std::ranges::fill(w, std::numeric_limits<float>::max() / 8.0f);
  w[3] = -w[3];
  for (int edge = 0; edge < 20; ++edge) {
    const graph_cut_space s = any_edge();
    EXPECT_TRUE(std::isfinite(score_of(s).loss));
    for (const auto& [offset, part] : gradient(s))
      for (const float g : part) EXPECT_TRUE(std::isfinite(g));
  }
  model.project(w, 0.0f);
  for (const float x : w) EXPECT_TRUE(x >= 0.0f && x <= 1.0f) << x;
}

}  // namespace
