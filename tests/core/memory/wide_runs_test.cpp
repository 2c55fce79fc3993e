// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_view.hpp>

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace hogwild;

constexpr std::size_t run_room = 300;

struct two_runs {
  std::vector<float> at, from;
  two_runs() {
    std::mt19937_64 random(3);
    std::normal_distribution<float> draw;
    for (std::size_t i = 0; i < run_room; ++i) at.push_back(draw(random)), from.push_back(draw(random));
  }
};

// Rounds the product before it is added, without vectors or fused instructions.
float added_singly(float to, float factor, float from) {
  const volatile float product = factor * from;
  return to + product;
}

TEST(wide_runs, are_added_to_the_bits_of_floats_one_by_one) {
  const two_runs before;
  constexpr float factor = -0.3f;
  for (std::size_t first = 0; first < 17; first += 4) {
    for (std::size_t n = 0; n <= 200; ++n) {
      two_runs x;
      detail::add_scaled_run(x.at.data() + first, x.from.data() + 1, n, factor);
      for (std::size_t i = 0; i < run_room; ++i) {
        const bool inside = i >= first && i < first + n;
        ASSERT_EQ(x.at[i], inside ? added_singly(before.at[i], factor, before.from[i - first + 1]) : before.at[i])
            << n << " floats from " << first << ": " << i;
      }
    }
  }
}

TEST(wide_runs, are_copied_and_nothing_else_is_written) {
  const two_runs x;
  for (std::size_t n = 0; n <= 200; ++n) {
    std::vector<float> to(run_room, 42.0f);
    detail::copy_run(to.data() + 5, x.from.data() + 2, n);
    for (std::size_t i = 0; i < run_room; ++i)
      ASSERT_EQ(to[i], i >= 5 && i < 5 + n ? x.from[i - 3] : 42.0f) << n << " floats: " << i;
  }
}

TEST(wide_runs, are_added_and_copied_by_views) {
  const two_runs before;
  for (const std::size_t n : {detail::worth_wide_vectors - 1, detail::worth_wide_vectors, std::size_t{250}}) {
    two_runs x;
    param_view<float>(std::span(x.at)).add_scaled_block(7, std::span<const float>(x.from).first(n), 0.1f);
    for (std::size_t i = 0; i < run_room; ++i)
      ASSERT_EQ(x.at[i], i >= 7 && i < 7 + n ? added_singly(before.at[i], 0.1f, before.from[i - 7]) : before.at[i])
          << n;
    std::vector<float> copy(n + 1, 42.0f);
    param_view<float>(std::span(x.at)).reader().block(3, n).copy_to(std::span(copy).first(n));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(copy[i], x.at[3 + i]) << n;
    ASSERT_EQ(copy[n], 42.0f);
  }
}

}  // namespace
