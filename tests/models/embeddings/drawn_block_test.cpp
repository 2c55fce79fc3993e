// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <hogwild/detail/embeddings/drawn_block.hpp>
#include <hogwild/detail/memory/param_view.hpp>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Takes down the gradient of each row, which must come once.
struct noted_rows {
  std::map<std::size_t, std::vector<float>>& to;
  void block(std::size_t offset, std::span<const float> g) const {
    EXPECT_TRUE(to.emplace(offset, std::vector<float>(g.begin(), g.end())).second) << offset;
  }
};

// Three sources, of which two have the same positive target, against twelve of five targets: some are drawn repeatedly.
// The rows of the targets lie behind two others.
TEST(drawn_block, emits_the_slopes_of_its_losses_with_respect_to_the_rows_of_targets) {
  constexpr std::size_t width = 16, rows = 5, sources = 3, first = 2 * width;
  constexpr std::uint32_t positives[sources] = {4, 1, 4};
  std::mt19937_64 random(7);
  for (const target_loss loss : {target_loss::softmax, target_loss::pairwise, target_loss::logistic}) {
    std::vector<float> parameters = random_numbers(random, first + rows * width);
    const std::vector<float> given = random_numbers(random, sources * width);
    drawn_block block({.width = width, .targets = 12, .loss = {.kind = loss, .contrast = 3.0f, .targets = rows}},
                      isa::automatic, sources, first);
    block.draw(target_sampler(rows, {}, 0.0), counter_random(1, 2));
    const auto read = [&] {
      const auto w = param_view<float>(parameters).reader();
      block.begin(w);
      for (std::size_t i = 0; i < sources; ++i) {
        std::copy_n(given.data() + i * width, width, block.source(i).data());
        block.read_positive(w, i, positives[i]);
      }
    };
    const auto losses = [&] {
      read();
      row_score sum;
      block.losses(sources, std::span(&sum, 1));
      return sum.loss;
    };
    read();
    block.differentiate(sources);
    std::map<std::size_t, std::vector<float>> emitted;
    block.emit(noted_rows{emitted});
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const float before = parameters[k], step = 0x1p-6f;
      parameters[k] = before + step;
      const double above = losses();
      parameters[k] = before - step;
      const double below = losses();
      parameters[k] = before;
      const auto row = emitted.find(k / width * width);
      const double slope = row == emitted.end() ? 0.0 : static_cast<double>(row->second[k % width]);
      EXPECT_NEAR(slope, (above - below) / (2.0 * static_cast<double>(step)), 2e-3) << k;
    }
  }
}

}  // namespace
