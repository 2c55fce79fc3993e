// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/node_vectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/edges.hpp>

#include "models/same_bits.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

/// Nodes in a ring with chords.
std::string ring_with_chords(std::size_t nodes) {
  std::string text;
  for (std::size_t v = 0; v < nodes; ++v)
    for (const std::size_t by : {std::size_t{1}, std::size_t{3}, v % 5 + 5})
      text += std::to_string(v) + " " + std::to_string((v + by) % nodes) + "\n";
  return text;
}

struct node_vectors_fixture : testing::Test {
  corpus graph = read_edges(ring_with_chords(40), "graph", {.note = [](auto) {}});
  sparse_view rows = graph.rows.view();
  node_vectors model = [&] {
    node_vectors m = node_vectors::usual();
    m.words = rows.columns, m.dimension = 7, m.length = 21, m.window = 4, m.negative = 3, m.p = 0.5;
    return m;
  }();
  std::vector<float> w = test::noise_vector(model.dim(), 5, -0.6f, 0.6f);

  sparse_row<float> row(std::size_t r) { return cursor.row(r); }
  row_cursor cursor{rows};
};

// The formula of the header, with the factors of nodes that occur several times, as all do in a ring of 3.
TEST_F(node_vectors_fixture, loss_is_that_of_the_formula) {
  for (const std::size_t nodes : {40u, 3u}) {
    graph = read_edges(ring_with_chords(nodes), "graph", {.note = [](auto) {}});
    rows = graph.rows.view();
    model.words = rows.columns;
    cursor = row_cursor(rows);
    for (std::size_t j = 0; j < model.dim(); ++j)
      if (j % model.width() >= model.dimension) w[j] = 0.0f;
    const counter_random random(7, 1);
    walk_space space = model.make_workspace(rows, isa::scalar, 1);
    model.take(space, 0, row(1), random);
    row_score told;
    model.score(param_reader<float>(w.data(), model.dim()), space, 1, std::span(&told, 1));

    const node_graph known(rows);
    std::vector<std::uint32_t> path, drawn;
    known.walk(row(1).index[0], {21, 0.5f, 1.0f}, random, path);
    for (std::size_t j = 0; j < 48; ++j) drawn.push_back(known.contrast(random.bits((std::uint64_t{1} << 32) + j)));
    const auto factor = [](const std::vector<std::uint32_t>& all, std::size_t i) {
      return 1.0 / static_cast<double>(std::ranges::count(all, all[i]));
    };
    const auto cost = [&](std::uint32_t source, std::uint32_t target, double sign) {
      double score = 0.0;
      for (std::size_t k = 0; k < model.dimension; ++k)
        score +=
            static_cast<double>(w[model.input_of(source) + k]) * static_cast<double>(w[model.output_of(target) + k]);
      return std::log1p(std::exp(sign * score));
    };
    double expected = 0.0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      double pairs = 0.0, contrast = 0.0, different = 0.0;
      for (std::size_t j = 0; j < path.size(); ++j) {
        const double apart = std::abs(static_cast<double>(i) - static_cast<double>(j));
        if (i == j || apart > 4.0) continue;
        const double weight = (5.0 - apart) / 4.0 * std::min(factor(path, i), factor(path, j));
        pairs += weight;
        expected += weight * cost(path[i], path[j], -1.0);
      }
      for (std::size_t j = 0; j < drawn.size(); ++j) {
        contrast += factor(drawn, j) * cost(path[i], drawn[j], 1.0);
        different += factor(drawn, j);
      }
      expected += pairs * 3.0 * contrast / different;
    }
    EXPECT_NEAR(told.loss, expected, 1e-5 * expected) << nodes;
  }
}

TEST_F(node_vectors_fixture, all_instruction_sets_give_the_same_bits) {
  test::expect_same_bits(model, rows, w);
}

// The smaller a graph, the more often a node occurs in each walk. Wide windows and much contrast make the sums of a
// step larger, too.
TEST_F(node_vectors_fixture, small_graphs_are_trained_without_overflow) {
  const struct {
    std::uint32_t negative, window, length;
    float widest;  // without a bound vectors overflow; a constant step lets them grow where sums are large
  } settings[] = {{5, 10, 40, 10.0f}, {50, 10, 40, 1000.0f}, {20, 40, 80, 1000.0f}};
  struct applier {
    std::vector<float>& w;
    void block(std::size_t offset, std::span<const float> g) const {
      for (std::size_t i = 0; i < g.size(); ++i) w[offset + i] -= 0.05f * g[i];
    }
  };
  for (const auto& [negative, window, length, widest] : settings)
    for (const std::size_t nodes : {2u, 3u, 8u, 34u}) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, contrast " + std::to_string(negative));
      graph = read_edges(ring_with_chords(nodes), "graph", {.note = [](auto) {}});
      rows = graph.rows.view();
      cursor = row_cursor(rows);
      model = node_vectors::usual();
      model.words = rows.columns, model.dimension = 16;
      model.negative = negative, model.window = window, model.length = length;
      std::vector<float> trained(model.dim());
      model.init(param_view<float>(std::span(trained)), counter_random(5, 6));
      walk_space space = model.make_workspace(rows, isa::automatic, 1);
      for (std::size_t k = 0; k < 1000; ++k) {
        model.take(space, 0, row(k % rows.rows()), counter_random(1, k));
        model.gradient(param_reader<float>(trained.data(), trained.size()), space, 1, applier{trained});
      }
      const float most = std::ranges::max(trained), least = std::ranges::min(trained);
      EXPECT_TRUE(std::isfinite(most) && std::isfinite(least));
      EXPECT_LT(most - least, widest);
      EXPECT_GT(most - least, 0.0625f) << "nothing was learned";
    }
}

TEST_F(node_vectors_fixture, a_part_of_a_graph_is_refused) {
  EXPECT_NO_THROW(model.require_data(rows, "graph"));
  EXPECT_THROW(model.require_data(rows.slice(0, 20), "graph"), config_error);
  node_vectors other = model;
  other.words = 30;
  EXPECT_THROW(other.require_data(rows, "graph"), config_error);
}

}  // namespace
