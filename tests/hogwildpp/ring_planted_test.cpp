// SPDX-License-Identifier: Apache-2.0
// Replicas on a ring end where serial training ends, on problems whose structure is known.
#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/names.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/ridge.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

struct ring : testing::TestWithParam<std::tuple<ring_rule, std::size_t>> {
  const ring_rule rule = std::get<0>(GetParam());
  const std::size_t replicas = std::get<1>(GetParam());
  const ring_engine engine{
      .workers = replicas, .replicas = replicas, .rule = rule, .team = thread_team_kind::std, .pin = false};

  /// Averages keep the mean of their gains: they train `replicas` times as many epochs, down to the same step.
  train_options for_ring(train_options options) const {
    if (rule == ring_rule::deltas) return options;
    options.epochs *= replicas;
    options.step.decay = std::pow(*options.step.decay, 1.0 / static_cast<double>(replicas));
    return options;
  }

  /// The released rule does not keep the sum of what replicas gained: over five runs it ended up to 8 % above one
  /// worker.
  double band() const { return rule == ring_rule::released ? 0.25 : 0.01; }

  /// How far the ring ends above one worker.
  template <class Model>
  double above_serial(const Model& m, const test::toy_rows& toy, const train_options& options) const {
    const double serial = train(m, toy.csr(), serial_engine{}, options).objective;
    const train_result run = train(m, toy.csr(), engine, for_ring(options));
    EXPECT_EQ(run.status, run_status::done);
    EXPECT_EQ(run.workers, replicas);
    if (rule == ring_rule::deltas) {
      EXPECT_GT(run.ring->exchanges, 0u);
    }
    const double above = run.objective / serial - 1.0;
    RecordProperty("above_serial", std::to_string(above));
    return above;
  }
};

// A strongly convex problem under a step that falls to a four-hundredth ends at the same point whenever replicas
// exchange. Over 12 runs of each kind on two busy cores the objective was at most 0.015 % from the serial one under
// `deltas`, 0.11 % under `average`: the band is nine times the furthest.
TEST_P(ring, ends_where_serial_ends_in_a_regression) {
  const auto toy = test::planted_regression({.rows = 20'000, .columns = 200}, 0.5);
  EXPECT_LT(
      std::abs(above_serial(least_squares{}, toy, {.epochs = 15, .step = {.initial = 0.2, .decay = 0.65}, .l2 = 0.01})),
      band());
}

TEST_P(ring, ends_where_serial_ends_in_a_classification_with_a_bias) {
  const auto toy = test::planted_classification({.rows = 20'000, .columns = 40});
  EXPECT_LT(std::abs(above_serial(logistic{}, toy,
                                  {.epochs = 15, .step = {.initial = 0.5, .decay = 0.65}, .l2 = 0.01, .bias = true})),
            band());
}

TEST_P(ring, ends_where_serial_ends_in_a_general_model) {
  const auto toy = test::planted_classes({.rows = 20'000, .columns = 40}, 3);
  EXPECT_LT(std::abs(above_serial(softmax{.features = 40, .classes = 3}, toy,
                                  {.epochs = 15, .step = {.initial = 0.5, .decay = 0.65}, .l2 = 0.01})),
            band());
}

TEST_P(ring, goes_on_from_a_checkpoint_to_the_same_end) {
  const auto toy = test::planted_classification({.rows = 20'000, .columns = 40});
  const test::scratch_folder folder;
  const std::string file = folder / "ring.ckpt";
  const train_options options{.epochs = 15, .step = {.initial = 0.5, .decay = 0.65}, .l2 = 0.01};
  const double serial = train(logistic{}, toy.csr(), serial_engine{}, options).objective;
  train_options half = for_ring(options), rest = half;
  half.epochs /= 3;
  half.checkpoint = file;
  const train_result begun = train(logistic{}, toy.csr(), engine, half);
  EXPECT_EQ(begun.epochs, half.epochs);
  rest.resume = file;
  const train_result ended = train(logistic{}, toy.csr(), engine, rest);
  EXPECT_EQ(ended.epochs, rest.epochs);
  EXPECT_GE(ended.examples, rest.epochs * toy.rows());  // an epoch that was turned back was trained twice
  EXPECT_LT(std::abs(ended.objective / serial - 1.0), band());
}

INSTANTIATE_TEST_SUITE_P(of, ring,
                         testing::Combine(testing::Values(ring_rule::deltas, ring_rule::average, ring_rule::released),
                                          testing::Values(2u, 4u, 8u)),
                         [](const auto& about) {
                           return std::string(name_of(std::get<0>(about.param))) + "_of_" +
                                  std::to_string(std::get<1>(about.param));
                         });

}  // namespace
