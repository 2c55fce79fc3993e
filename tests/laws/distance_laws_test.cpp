// SPDX-License-Identifier: Apache-2.0
// The distance from the optimum that a run reports is never too small, for every convex loss, l2, l1, weights and a
// constant term; and a run that is asked for a smaller distance does not end with a larger one. The test finds the
// optimum by another method: along random directions, on the objective in double.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models.hpp>
#include <hogwild/train.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

/// Margin models that are convex.
template <class... M>
struct convex_margins_of {
  template <class Each>
  using if_convex = std::conditional_t<margin_model<Each> && is_convex<Each>(), std::tuple<Each>, std::tuple<>>;
  template <class... Margin>
  static testing::Types<Margin...> types_of(std::tuple<Margin...>);
  using types = decltype(types_of(std::tuple_cat(if_convex<M>()...)));
};
using every_convex_margin =
    decltype(with_named_models([]<class... M>() { return typename convex_margins_of<M...>::types(); }));

struct penalty {
  double l2, l1;
};

/// Rows in which columns come in all sizes, and labels that no weights explain.
struct problem {
  static constexpr std::size_t rows = 60, columns = 6;

  test::toy_rows toy;
  std::vector<float> weight;
  penalty by;
  bool bias = false;

  problem(label_kind labels, std::uint64_t seed, penalty p, bool weighed, bool has_bias) : by(p), bias(has_bias) {
    const test::toy_shape shape{.rows = rows, .columns = columns, .per_row = 4, .seed = seed};
    toy =
        labels == label_kind::binary ? test::planted_classification(shape, 0.2) : test::planted_regression(shape, 0.5);
    if (labels == label_kind::real)
      for (float& y : toy.label) y = std::abs(y) + 0.5f;  // which poisson takes, too
    for (std::size_t r = 0; weighed && r < rows; ++r) weight.push_back(0.25f + 0.25f * static_cast<float>(r % 7));
  }

  template <class M>
  train_result run(const M& model, const train_options& options) const {
    const csr_rows all = toy.csr();
    sparse_view data = all.view();
    data.weight = weight;
    return train(model, data, serial_engine{}, options);
  }

  /// In double, except that losses take their margin as float.
  template <class M>
  double objective(const M& model, std::span<const double> w) const {
    double loss = 0.0, counted = 0.0, added = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      const double count = weight.empty() ? 1.0 : static_cast<double>(weight[r]);
      double margin = bias ? w[columns] : 0.0;
      for (std::size_t k = toy.row_start[r]; k < toy.row_start[r + 1]; ++k)
        margin += w[toy.index[k]] * static_cast<double>(toy.value[k]);
      loss += count * model.loss(static_cast<float>(margin), toy.label[r]);
      counted += count;
    }
    for (const double x : w.first(columns)) added += by.l1 * std::abs(x) + 0.5 * by.l2 * x * x;
    return loss / counted + added;
  }

  /// An upper bound of the lowest objective, by lines along which it is convex.
  template <class M>
  double lowest(const M& model, std::vector<double> w) const {
    const counter_random random(99, 1);
    double best = objective(model, w), reach = 0.5;
    std::uint64_t drawn = 0;
    for (int line = 0; line < 120; ++line) {
      std::vector<double> along(w.size());
      for (std::size_t j = 0; j < w.size(); ++j)
        along[j] = line % 2 == 0                                        ? 2.0 * random.uniform(drawn++) - 1.0
                   : j == static_cast<std::size_t>(line / 2) % w.size() ? 1.0
                                                                        : 0.0;
      const auto at = [&](double t) {
        std::vector<double> there = w;
        for (std::size_t j = 0; j < w.size(); ++j) there[j] += t * along[j];
        return objective(model, there);
      };
      double low = -reach, high = reach;
      for (int i = 0; i < 20; ++i) {
        const double left = low + 0.382 * (high - low), right = high - 0.382 * (high - low);
        if (at(left) < at(right))
          high = right;
        else
          low = left;
      }
      const double t = 0.5 * (low + high), found = at(t);
      if (found < best) {
        best = found;
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += t * along[j];
      }
      reach = std::max(0.95 * reach, 1e-3);
    }
    return best;
  }
};

std::vector<problem> problems(label_kind labels) {
  std::vector<problem> all;
  std::uint64_t seed = 1;
  for (const penalty by : {penalty{0.02, 0.0}, penalty{0.0, 0.05}, penalty{0.02, 0.02}})
    for (const bool weighed : {false, true})
      for (const bool bias : {false, true}) all.emplace_back(labels, seed++, by, weighed, bias);
  return all;
}

train_options options_of(const problem& p, double tolerance, std::size_t epochs) {
  return {.epochs = epochs, .l2 = p.by.l2, .l1 = p.by.l1, .bias = p.bias, .tolerance = tolerance};
}

template <class M>
class distance_law : public testing::Test {};
TYPED_TEST_SUITE(distance_law, every_convex_margin);

TYPED_TEST(distance_law, is_never_told_too_small) {
  // Margins are rounded to float in all that is compared here.
  constexpr double rounding = 2e-6;
  const TypeParam model{};
  for (const problem& p : problems(labels_of(model))) {
    train_options options = options_of(p, 1e-9, 12);
    std::vector<std::pair<double, double>> told;
    options.observers.push_back([&](const epoch_report& e) { told.emplace_back(e.objective, e.gap.value_or(-1.0)); });
    const train_result run = p.run(model, options);
    const std::vector<double> w(run.parameters.begin(), run.parameters.end());
    const double lowest = p.lowest(model, w);
    EXPECT_NEAR(p.objective(model, w), run.objective, rounding * std::abs(run.objective));
    ASSERT_EQ(told.size(), run.epochs);
    told.emplace_back(run.objective, run.gap.value_or(-1.0));
    for (const auto& [objective, gap] : told) {
      EXPECT_GE(gap, 0.0);
      EXPECT_GE(gap, (objective - lowest) / std::abs(objective) - rounding)
          << "l2 " << p.by.l2 << ", l1 " << p.by.l1 << ", bias " << p.bias << ", weights " << !p.weight.empty();
    }
    // The gap is not trivial: without any knowledge it would be 1.
    EXPECT_LT(*run.gap, 0.9) << "l2 " << p.by.l2 << ", l1 " << p.by.l1 << ", bias " << p.bias;
  }
}

TYPED_TEST(distance_law, less_of_it_ends_no_higher) {
  const TypeParam model{};
  for (const problem& p : problems(labels_of(model))) {
    double before = HUGE_VAL;
    for (const double tolerance : {0.3, 0.03, 0.003}) {
      const train_result run = p.run(model, options_of(p, tolerance, 60));
      EXPECT_LE(run.objective, before);
      EXPECT_EQ(run.status == run_status::converged, *run.gap <= tolerance) << *run.gap;
      before = run.objective;
    }
  }
}

TEST(distance_of_classes, is_never_told_too_small) {
  constexpr std::size_t columns = 6, classes = 3;
  const test::toy_rows toy = test::planted_classes({.rows = 90, .columns = columns, .per_row = 4}, classes);
  for (const bool rest : {false, true}) {
    for (const double l1 : {0.0, 0.02}) {
      const bool bias = rest == (l1 > 0.0);
      const softmax model{.features = columns, .classes = classes, .bias = bias, .one_vs_rest = rest};
      std::vector<std::pair<double, double>> told;
      train_options options{.epochs = 60, .l2 = 0.02, .l1 = l1, .tolerance = 3e-3};
      options.observers.push_back([&](const epoch_report& e) { told.emplace_back(e.objective, e.gap.value_or(-1.0)); });
      const train_result run = train(model, toy.csr(), serial_engine{}, options);
      EXPECT_EQ(run.status, run_status::converged) << *run.gap;
      // Every objective that a run reaches bounds the optimum from above.
      train_options more{.epochs = 150, .l2 = 0.02, .l1 = l1, .tolerance = 1e-6};
      const double lowest = train(model, toy.csr(), serial_engine{}, more).objective;
      for (const auto& [objective, gap] : told) EXPECT_GE(gap, (objective - lowest) / objective - 1e-6);
    }
  }
}

TEST(distance, is_told_only_where_a_tolerance_asks_and_a_penalty_lets_it) {
  const problem p(label_kind::binary, 1, {0.0, 0.0}, false, false);
  std::vector<std::string> notes;
  struct listener : observer {
    explicit listener(std::vector<std::string>& to) : notes(to) {}
    void on_note(std::string_view note) override { notes.emplace_back(note); }
    std::vector<std::string>& notes;
  } heard(notes);
  train_options options = options_of(p, 0.1, 40);
  options.observers.push_back(&heard);
  const train_result run = p.run(logistic{}, options);
  EXPECT_EQ(run.status, run_status::done);
  EXPECT_FALSE(run.gap);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("without l2 and l1"), std::string::npos);
  EXPECT_FALSE(p.run(logistic{}, {.epochs = 3, .l2 = 0.1}).gap);
}

}  // namespace
