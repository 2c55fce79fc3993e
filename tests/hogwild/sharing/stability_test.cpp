// SPDX-License-Identifier: Apache-2.0
// The bound p (1 - exp(-z)) < 2 on a quadratic: below it the replicas' summed gains converge, well above it they do
// not.
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/choose.hpp>
#include <hogwild/detail/sharing/replica.hpp>

using namespace hogwild;

namespace {

/// p replicas descend curvature/2 * w^2 from w = 1, `rows` steps each between two exchanges, all at the same time; how
/// far from the optimum they are after `exchanges`.
double distance_after(std::size_t p, double step_times_curvature, std::size_t rows, std::size_t exchanges) {
  const param_store store = param_store::in_memory({.parameters = 1, .workers = p});
  std::vector<worker_memory> memory(p);
  std::vector<std::unique_ptr<replica<float>>> replicas;
  store.parameters<float>()[0] = 1.0f;
  for (std::size_t i = 0; i < p; ++i) {
    replicas.push_back(std::make_unique<replica<float>>(store, 0, memory[i], std::vector<parameter_group>{{.rows = 1}},
                                                        std::size_t{1}, no_singletons, update_kind::lossy));
    replicas.back()->begin_round({.exchange_rows = static_cast<std::uint32_t>(rows)});
  }
  race_probe probe(store.slots(), 0, false);
  const auto shrink = static_cast<float>(1.0 - step_times_curvature);
  for (std::size_t k = 0; k < exchanges; ++k) {
    for (const auto& r : replicas) {
      for (std::size_t i = 0; i < rows; ++i) r->values(0)[0] *= shrink;
    }
    // No replica sees the gains of others before all have sent theirs.
    for (const auto& r : replicas) r->exchange(rows, probe);
    for (const auto& r : replicas) r->begin_round({.exchange_rows = static_cast<std::uint32_t>(rows)});
  }
  return std::abs(static_cast<double>(store.parameters<float>()[0]));
}

TEST(summed_gains, converge_below_the_bound_and_diverge_above_it) {
  constexpr double z = 0.01;  // step * curvature of a row
  for (const std::size_t p : {3u, 4u, 8u, 16u, 64u}) {
    const auto allowed = static_cast<std::size_t>(longest_exchange(z, 1.0, p));
    ASSERT_GE(allowed, 2u);
    EXPECT_LT(distance_after(p, z, allowed / 2, 200), 1e-3) << p;
    // At the bound they swing; a fifth below it they come to rest.
    EXPECT_LT(distance_after(p, z, allowed - (allowed + 4) / 5, 200), 1e-3) << p;
    EXPECT_GT(distance_after(p, z, 2 * allowed, 200), 1e3) << p;
  }
}

TEST(summed_gains, of_two_never_diverge_but_swing_the_longer_the_more) {
  constexpr double z = 0.01;
  const auto allowed = static_cast<std::size_t>(longest_exchange(z, 1.0, 2));
  EXPECT_EQ(allowed, 200u);
  EXPECT_LT(distance_after(2, z, allowed, 40), 1e-3);
  // At z = 4 each exchange takes the weight from 1 to 1 - 2 (1 - exp(-4)) = -0.96.
  const double swinging = distance_after(2, z, 2 * allowed, 20);
  EXPECT_GT(swinging, 0.3);
  EXPECT_LT(swinging, 1.0);
}

TEST(summed_gains, of_the_chosen_rows_converge_for_every_number_of_workers) {
  for (const std::size_t p : {2u, 3u, 5u, 8u, 16u, 32u}) {
    for (const double step : {0.5, 0.1, 0.02}) {
      constexpr double curvature = 0.05;
      const exchange_options chosen{.rows = 512, .curvature = curvature, .workers = p};
      const std::uint32_t rows = exchange_rows(chosen, step);
      EXPECT_LT(distance_after(p, step * curvature, rows, 400), 1e-2) << p << " " << step << " " << rows;
    }
  }
}

}  // namespace
