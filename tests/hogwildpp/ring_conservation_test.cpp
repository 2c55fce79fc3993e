// SPDX-License-Identifier: Apache-2.0
// Replicas on a ring must not lose any add under `deltas`, nor any part of the sum under `average`.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/counting.hpp"
#include "support/planned_task.hpp"
#include "support/sanitizers.hpp"

using namespace hogwild;

namespace {

constexpr std::size_t epochs = test::thread_sanitized ? 1 : 3, common = 600;

/// Like counting_margins, but a worker often yields to the others, so that they meet on few CPUs as well.
struct polite_counting {
  static constexpr std::string_view name = "polite_counting";
  double loss(float, float) const { return 0.0; }
  float derivative(float, float) const {
    thread_local unsigned row = 0;
    if (++row % 64 == 0) std::this_thread::yield();
    return -1.0f;
  }
};

/// Countable rows; every third has a column of its own behind those that others have.
test::toy_rows rows_of_ones() {
  const test::toy_rows shared = test::countable_rows(6'000, common);
  test::toy_rows toy;
  toy.columns = common;
  for (std::size_t r = 0; r < shared.rows(); ++r) {
    std::vector<std::uint32_t> index{shared.index[2 * r], shared.index[2 * r + 1]};
    if (r % 3 == 0) index.push_back(static_cast<std::uint32_t>(toy.columns++));
    toy.push(index, std::vector<float>(index.size(), 1.0f), 0.0f);
  }
  return toy;
}

struct ring : testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
  const std::size_t replicas = std::get<0>(GetParam()), workers = replicas * std::get<1>(GetParam());
  const test::toy_rows toy = rows_of_ones();
  const csr_rows data = toy.csr();

  /// Calls check(epoch, store) after each of the epochs; the rows tell which columns are in one row only, or do not.
  template <class Model, class Check>
  void train(const Model& m, bool own_known, ring_rule rule, optimizer_kind optimizer, const Check& check) const {
    sparse_view rows = data.view();
    if (own_known) rows.first_singleton = common;
    test::planned_task work =
        make_task(m, rows, label_map{},
                  {.update = update_kind::exact, .optimizer = optimizer, .isa = choose_isa(isa::automatic)});
    work.set_sharing(access_kind::buffered,
                     {.rows = 8, .workers = workers, .replicas = static_cast<std::uint32_t>(replicas), .rule = rule});
    const auto started =
        start(ring_engine{.workers = workers, .replicas = replicas, .team = thread_team_kind::std, .pin = false}, *work,
              work.plan, {});
    EXPECT_EQ(started->engine(), "ring");
    round_driver rounds(*work, work.plan, *started);
    for (std::size_t e = 1; e <= epochs; ++e) {
      rounds.train_epoch(e, 1.0);
      check(e, started->store());
    }
    std::uint64_t exchanges = 0;
    for (const worker_slot& slot : started->store().slots()) exchanges += slot.ring_exchanges.get();
    // Under the other rules a replica whose neighbours do not train at the same time keeps its gains.
    if (rule == ring_rule::deltas) {
      EXPECT_GT(exchanges, 0u);
    }
  }

  template <class Model>
  void expect_every_add_once(const Model& m, bool own_known) const {
    train(m, own_known, ring_rule::deltas, optimizer_kind::sgd, [&](std::size_t e, const param_store& store) {
      const auto got = store.parameters<float>(), want = std::span<float>(counts[e]);
      for (std::size_t j = 0; j < toy.columns; ++j) ASSERT_EQ(got[j], want[j]) << "column " << j << ", epoch " << e;
    });
  }

  /// The counts of the columns after each epoch. Below 2^24, so that float sums them exactly.
  mutable std::vector<std::vector<float>> counts = [this] {
    std::vector<std::vector<float>> all;
    for (std::size_t e = 0; e <= epochs; ++e) all.push_back(test::counts_after(toy, e));
    return all;
  }();
};

TEST_P(ring, adds_up_what_a_margin_model_adds) {
  expect_every_add_once(polite_counting{}, false);
}
TEST_P(ring, adds_up_what_a_margin_model_adds_to_singleton_columns) {
  expect_every_add_once(polite_counting{}, true);
}
TEST_P(ring, adds_up_what_a_general_model_adds) {
  expect_every_add_once(test::counting_columns{toy.columns}, false);
}

TEST_P(ring, sums_the_squares_of_adagrad_under_every_rule) {
  for (const ring_rule rule : {ring_rule::deltas, ring_rule::average, ring_rule::released}) {
    for (const bool own_known : {false, true}) {
      // A row's derivative is -1 and its values are 1: it adds 1 to the sum of each of its columns.
      train(polite_counting{}, own_known, rule, optimizer_kind::adagrad, [&](std::size_t e, const param_store& store) {
        const auto sums = store.state<float>(0);
        for (std::size_t j = 0; j < toy.columns; ++j) {
          ASSERT_EQ(sums[j], counts[e][j]) << "rule " << static_cast<int>(rule) << ", column " << j << ", epoch " << e;
        }
      });
    }
  }
}

// Halves of counts are rounded: an exchange moves a sum by at most 2^-24 of it, twice. For the fewer than 750 exchanges
// of an epoch that is below 1e-4; one lost add of the most frequent column is 6e-4 of it.
TEST_P(ring, that_averages_keeps_the_sum_and_makes_the_model_of_the_mean) {
  for (const bool own_known : {false, true}) {
    std::vector<double> before(toy.columns, 0.0);
    train(polite_counting{}, own_known, ring_rule::average, optimizer_kind::sgd,
          [&](std::size_t e, const param_store& store) {
            const auto k = static_cast<double>(replicas);
            for (std::size_t j = 0; j < toy.columns; ++j) {
              double sum = 0.0;
              for (std::size_t v = 0; v < replicas; ++v) {
                sum += static_cast<double>(store.replica_view(v).parameters<float>()[j]);
              }
              const double gained = static_cast<double>(counts[1][j]), merged = store.parameters<float>()[j];
              ASSERT_NEAR(sum, k * before[j] + gained, 1e-4 * std::max(sum, 1.0)) << "column " << j << ", epoch " << e;
              ASSERT_NEAR(merged, sum / k, 1e-6 * std::max(sum, 1.0)) << "column " << j << ", epoch " << e;
              before[j] = merged;
            }
          });
  }
}

INSTANTIATE_TEST_SUITE_P(of, ring, testing::Combine(testing::Values(2u, 3u, 4u, 8u), testing::Values(1u, 2u)),
                         [](const auto& about) {
                           return std::to_string(std::get<0>(about.param)) + "_replicas_of_" +
                                  std::to_string(std::get<1>(about.param));
                         });

}  // namespace
