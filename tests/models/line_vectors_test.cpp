// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/line_vectors.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/words/word_model.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/edges.hpp>

#include "models/same_bits.hpp"
#include "support/toy_data.hpp"

namespace {

using namespace hogwild;

/// A weighted ring with chords.
std::string weighted_ring(std::size_t nodes) {
  std::string text;
  for (std::size_t v = 0; v < nodes; ++v)
    for (const std::size_t by : {std::size_t{1}, std::size_t{3}})
      text += std::to_string(v) + " " + std::to_string((v + by) % nodes) + " " + std::to_string(v % 3 + 1) + "\n";
  return text;
}

struct line_vectors_fixture : testing::TestWithParam<std::pair<bool, bool>> {
  corpus graph = read_edges(weighted_ring(20), "graph");
  sparse_view rows = graph.rows.view();
  line_vectors model = [&] {
    line_vectors m;
    m.words = rows.columns, m.dimension = 14, m.negative = 3;
    std::tie(m.first, m.second) = GetParam();
    return m;
  }();
  std::vector<float> w = [&] {
    std::vector<float> all = test::noise_vector(model.dim(), 5, -0.6f, 0.6f);
    for (std::size_t j = 0; j < all.size(); ++j)
      if (j % model.width() >= model.of_order()) all[j] = 0.0f;
    return all;
  }();
  row_cursor cursor{rows};
};

// The formula of the header, for each order.
TEST_P(line_vectors_fixture, loss_is_that_of_the_formula) {
  const counter_random random(7, 1);
  line_space space = model.make_workspace(rows, isa::scalar, 1);
  model.take(space, 0, cursor.row(1), random);
  row_score told;
  model.score(param_reader<float>(w.data(), w.size()), space, 1, std::span(&told, 1));

  const node_graph known(rows);
  std::vector<std::uint32_t> drawn;
  for (std::size_t j = 0; j < 64; ++j) drawn.push_back(known.contrast(random.bits(128 + j)));
  double expected = 0.0;
  const auto add = [&](std::size_t sources, std::size_t targets) {
    const auto cost = [&](std::uint32_t source, std::uint32_t target, double sign) {
      double score = 0.0;
      for (std::size_t k = 0; k < model.of_order(); ++k)
        score += static_cast<double>(w[sources + source * model.width() + k]) *
                 static_cast<double>(w[targets + target * model.width() + k]);
      return std::log1p(std::exp(sign * score));
    };
    for (std::size_t i = 0; i < 64; ++i) {
      const auto [u, v] = known.edge(random.bits(2 * i), random.bits(2 * i + 1));
      double contrast = 0.0, counted = 0.0;
      for (const std::uint32_t r : drawn)
        if (r != v) contrast += cost(u, r, 1.0), ++counted;
      expected += cost(u, v, -1.0) + 3.0 * contrast / counted;
    }
  };
  if (model.first) add(0, 0);
  if (model.second) add(model.second_order(), model.contexts());
  EXPECT_NEAR(told.loss, expected, 1e-5 * expected);
}

TEST_P(line_vectors_fixture, all_instruction_sets_give_the_same_bits) {
  test::expect_same_bits(model, rows, w);
}

TEST_P(line_vectors_fixture, a_part_of_a_graph_is_refused) {
  EXPECT_NO_THROW(model.require_data(rows, "graph"));
  EXPECT_THROW(model.require_data(rows.slice(0, 10), "graph"), config_error);
}

TEST(joined_vectors, have_the_length_one_however_short_or_long_their_halves_are) {
  const detail::word_layout layout{.words = 1, .dimension = 4, .stride = 2, .begins = {0, 2}, .joined = true};
  const std::vector<float> parameters{3e-41f, 4e-41f, 3e30f, 4e30f};
  std::vector<float> joined(4);
  layout.read(parameters, 0, joined);
  for (const std::size_t half : {0u, 2u}) {
    EXPECT_NEAR(joined[half], 0.6f, 1e-3f);  // a number of 1e-41 has 13 bits
    EXPECT_NEAR(joined[half + 1], 0.8f, 1e-3f);
  }
}

INSTANTIATE_TEST_SUITE_P(orders, line_vectors_fixture,
                         testing::Values(std::pair(true, false), std::pair(false, true), std::pair(true, true)),
                         [](const auto& orders) {
                           return std::string(orders.param.first ? "first" : "") +
                                  (orders.param.second ? "second" : "");
                         });

}  // namespace
