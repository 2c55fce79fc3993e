// SPDX-License-Identifier: Apache-2.0
// A label tree as engines train it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/check_gradient.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/models/warm_start.hpp>
#include <hogwild/detail/results/metrics.hpp>
#include <hogwild/error.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/label_tree.hpp>
#include <hogwild/registry.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape of_leafy_rows{.rows = 600, .columns = 60, .per_row = 6};
constexpr std::size_t leafy_classes = 40;

struct label_tree_task : testing::Test {
  using change = std::function<void(train_options&)>;

  /// Tested on the rows that are trained; with three levels.
  train_result run(const auto& engine, const change& changed = {}, const label_tree& m = tree()) const {
    train_options options{.epochs = 8, .step = {.initial = 2.0}};
    options.test = rows.view();
    if (changed) changed(options);
    return train(m, rows, engine, options);
  }
  static label_tree tree() { return {.features = of_leafy_rows.columns, .classes = leafy_classes, .leaves = 2}; }
  static std::vector<float> order_of(const train_result& r) {
    return {r.parameters.end() - static_cast<std::ptrdiff_t>(leafy_classes), r.parameters.end()};
  }
  static saved_model saved(const train_result& result, const label_tree& m = tree()) {
    std::vector<std::uint32_t> original(m.features);
    std::iota(original.begin(), original.end(), 1u);
    return to_saved(named_model(m), result.parameters, result.labels, original);
  }

  const test::toy_rows planted = test::planted_lists(of_leafy_rows, leafy_classes);
  const csr_rows rows = planted.csr();
};

TEST_F(label_tree_task, learns_and_is_measured_by_lists) {
  const train_result untrained = run(serial_engine{}, [](train_options& o) { o.epochs = 1, o.step.initial = 1e-9; });
  const train_result trained = run(serial_engine{}, [](train_options& o) { o.epochs = 30; });
  EXPECT_GT(*trained.test->precision_at_1, *untrained.test->precision_at_1 + 0.3);
  EXPECT_GT(*trained.test->psp_at_1, *untrained.test->psp_at_1 + 0.3);
  EXPECT_LT(trained.test->loss, 0.8 * untrained.test->loss);
  EXPECT_EQ(trained.class_loss, "label_tree");
}

TEST_F(label_tree_task, classes_keep_their_places) {
  const std::vector<float> order = order_of(run(serial_engine{}));
  std::vector<float> sorted = order, all(leafy_classes);
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0.0f);
  EXPECT_EQ(sorted, all);
  EXPECT_NE(order, all);  // classes with similar rows are together
  EXPECT_EQ(order_of(run(thread_engine{.workers = 2})), order);
}

TEST_F(label_tree_task, its_gradient_is_that_of_its_loss) {
  const auto fault = check_gradient(tree(), rows.view(), {.rows = 2});
  EXPECT_FALSE(fault) << fault->sentence;
}

TEST_F(label_tree_task, reproducible_runs_are_the_same_for_any_number_of_workers) {
  const change repeated = [](train_options& o) { o.reproducible = true, o.virtual_workers = 3, o.epochs = 3; };
  const train_result one = run(thread_engine{.workers = 1}, repeated);
  EXPECT_EQ(run(thread_engine{.workers = 3}, repeated).parameters, one.parameters);
}

// In 40 such pairs, on two CPUs that other programs were using, two workers ended .1 % to .6 % below one. Even if the
// distance were exponential with a mean of .4 %, it would exceed 10 % with a chance of e^-25: 1e-11.
TEST_F(label_tree_task, two_workers_end_where_one_does) {
  const double alone = run(serial_engine{}).test->loss;
  EXPECT_NEAR(run(thread_engine{.workers = 2}).test->loss, alone, 0.1 * alone);
}

TEST_F(label_tree_task, saved_trees_measure_as_training_did) {
  const train_result result = run(serial_engine{});
  const predictor read(saved(result));
  list_counts counts(leafy_classes);
  row_cursor cursor(rows.view());
  double loss = 0.0;
  for (std::size_t r = 0; r < rows.view().rows(); ++r) {
    const sparse_row<float> z = labelled_row(cursor, r, read.labels());
    const class_scores said = read.scores_of(z, list_counts::most_best);
    loss += said.loss / static_cast<double>(rows.view().rows());
    counts.add(said.scores, said.decision, z.classes);
  }
  EXPECT_NEAR(loss, result.test->loss, 1e-5);
  EXPECT_NEAR(*counts.precision_at(1), *result.test->precision_at_1, 1e-9);
  EXPECT_NEAR(*counts.precision_at(5), *result.test->precision_at_5, 1e-9);
  EXPECT_NEAR(counts.micro_f1(), *result.test->micro_f1, 1e-9);
}

TEST_F(label_tree_task, a_run_that_begins_with_a_saved_tree_goes_on_from_there) {
  const train_result before = run(serial_engine{});
  const saved_model begun = saved(before);
  std::vector<std::uint32_t> original(of_leafy_rows.columns);
  std::iota(original.begin(), original.end(), 1u);
  const train_result after = run(serial_engine{}, [&](train_options& o) {
    o.epochs = 1, o.step.initial = 1e-9;
    o.initial = [&](std::span<float> w) { warm_start(begun, named_model(tree()), original, {}, w); };
  });
  EXPECT_EQ(order_of(after), order_of(before));
  EXPECT_NEAR(after.test->loss, before.test->loss, 1e-4);
}

TEST_F(label_tree_task, l2_pulls_the_weights_that_rows_change) {
  const auto length = [&](double l2) {
    const std::vector<float> w = run(serial_engine{}, [&](train_options& o) { o.l2 = l2; }).parameters;
    return std::inner_product(w.begin(), w.end() - static_cast<std::ptrdiff_t>(leafy_classes), w.begin(), 0.0);
  };
  EXPECT_LT(length(1e-2), 0.8 * length(0.0));
}

TEST_F(label_tree_task, rows_weigh_what_they_are_given) {
  std::vector<float> twice(rows.view().rows(), 1.0f);
  for (std::size_t r = 0; r < twice.size(); r += 2) twice[r] = 0.0f;
  sparse_view weighed = rows.view();
  weighed.weight = twice;
  const label_tree m = tree();
  label_tree_workspace space = m.make_workspace({}, isa::automatic, 1);
  row_cursor cursor(weighed);
  std::vector<float> w(m.dim());
  std::size_t emitted = 0;
  struct counter {
    std::size_t& runs;
    void block(std::size_t, std::span<const float>) const { ++runs; }
  };
  for (std::size_t r = 0; r < 2; ++r) {
    m.take(space, 0, cursor.row(r), counter_random(1, 1));
    m.gradient(param_reader<float>(w.data(), w.size()), space, 1, counter{emitted});
    EXPECT_EQ(emitted > 0, r == 1);
  }
}

TEST_F(label_tree_task, too_few_leaves_are_refused) {
  label_tree narrow = tree();
  narrow.leaves = 1;
  EXPECT_THROW(run(serial_engine{}, {}, narrow), config_error);
}

}  // namespace
}  // namespace hogwild
