// SPDX-License-Identifier: Apache-2.0
// Lanes train models like the CPU if the models add up over a row by hogwild::dot and hogwild::sum.
#include <hogwild/detail/cuda/tried_lanes.hpp>

#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "named_models.hpp"
#include "support/fresh_seed.hpp"

using namespace hogwild;

namespace {

struct lanes_of_models : test::fresh_seed<> {
  template <class Gradient>
  struct model {
    Gradient call;
    void gradient(const auto& w, const auto& z, const auto& emit) const { call(w, z, emit); }
  };

  /// Whether lanes agree on a row of so many entries, by the check at the start of a run.
  template <class Gradient>
  bool agree(std::size_t length, const Gradient& gradient) {
    std::vector<std::uint32_t> index;
    std::vector<float> value;
    std::normal_distribution<float> normal;
    for (std::size_t k = 0; k < length; ++k) {
      index.push_back(static_cast<std::uint32_t>(3 * k));
      value.push_back(normal(random));
    }
    const sparse_row<float> z{index, value, 1.0f};
    const model<Gradient> m{gradient};
    return device::lanes_agree(m, z, random()) || device::lanes_agree(m, z, random());
  }
};

constexpr std::size_t bias = 1000;

// The two sums of a row are rounded differently, by up to 1e-5. That is 1e-3 of the slope where the slope is below
// 0.01, once in 2,000 times; twice in a row with a probability below 1e-6.
TEST_F(lanes_of_models, agree_where_sums_are_taken_together) {
  for (const std::size_t length : {0u, 1u, 2u, 31u, 32u, 33u, 100u}) {
    EXPECT_TRUE(agree(length, [](const auto& w, const auto& z, const auto& emit) {
      const float g = hogwild::dot(w, z) + w[bias] - z.label;
      emit(bias, g);
      for (auto [j, x] : z) emit(j, g * x);
    })) << length;
    // A factorization machine of one factor: a loop reads the lane's own entries.
    EXPECT_TRUE(agree(length, [](const auto& w, const auto& z, const auto& emit) {
      const float sum = hogwild::dot(w, z);
      const float squares = hogwild::sum(z, [&](std::size_t j, float x) { return w[j] * x * w[j] * x; });
      const float g = 0.5f * (sum * sum - squares) - z.label;
      for (auto [j, x] : z) emit(j, g * x * (sum - w[j] * x));
    })) << length;
  }
}

// To agree by chance the entries of each lane alone would have to add up to the whole sum, up to 1e-3 of it, in 8 lanes
// or more: a probability below 1e-20.
TEST_F(lanes_of_models, disagree_where_a_loop_adds_up) {
  for (const std::size_t length : {8u, 33u, 100u}) {
    EXPECT_FALSE(agree(length, [](const auto& w, const auto& z, const auto& emit) {
      float sum = 0.0f;
      for (auto [j, x] : z) sum += w[j] * x;
      for (auto [j, x] : z) emit(j, (sum - z.label) * x);
    })) << length;
  }
}

TEST_F(lanes_of_models, disagree_where_lanes_that_have_parted_do_something_together) {
  EXPECT_FALSE(agree(2, [](const auto& w, const auto& z, const auto& emit) {
    for (auto [j, x] : z) emit(j, hogwild::dot(w, z) * x);
  }));
  EXPECT_FALSE(agree(2, [](const auto& w, const auto& z, const auto& emit) {
    for (auto [j, x] : z) {
      for (auto [k, y] : z) emit(j * bias + k, w[j] * w[k] * x * y);
    }
  }));
  // A lane that leaves a loop early does not join the others again.
  EXPECT_FALSE(agree(2, [](const auto& w, const auto& z, const auto& emit) {
    for (auto [j, x] : z) {
      emit(j, x);
      if (x != 0.0f) break;
    }
    emit(bias, w[bias]);
  }));
}

}  // namespace
