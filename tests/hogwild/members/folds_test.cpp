// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/members/folds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/detail/run/validation_split.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

using ::testing::HasSubstr;

std::vector<std::uint32_t> dealt(label_kind kind, const std::vector<double>& labels, std::size_t folds,
                                 std::uint64_t seed = 1) {
  const label_column column(labels);
  return draw_folds({.label = column}, label_map::learn(kind, column, "toy"), folds, seed);
}

/// Rows of two labels in turn, in groups of these sizes: rows of one group lie far apart.
struct grouped_rows {
  explicit grouped_rows(const std::vector<std::size_t>& sizes) {
    for (std::size_t round = 0, placed = 1; placed > 0; ++round) {
      placed = 0;
      for (std::uint32_t g = 0; g < sizes.size(); ++g)
        if (round < sizes[g]) group.push_back(g), labels.push_back(round % 2 == 0 ? 1.0 : -1.0), ++placed;
    }
    column = label_column(labels);
  }
  sparse_view view() const { return {.label = column, .group = group}; }
  label_map known() const { return label_map::learn(label_kind::binary, column, "toy"); }

  std::vector<std::uint32_t> group{};
  std::vector<double> labels{};
  label_column column{};
};

TEST(folds, do_not_tear_groups) {
  const grouped_rows rows({50, 7, 7, 7, 8, 8, 30, 4, 4, 20, 5});
  for (const std::size_t folds : {2u, 3u, 5u}) {
    const auto fold_of = draw_folds(rows.view(), rows.known(), folds, 3);
    std::map<std::uint32_t, std::set<std::uint32_t>> folds_of;
    std::vector<std::size_t> sizes(folds);
    for (std::size_t r = 0; r < fold_of.size(); ++r) folds_of[rows.group[r]].insert(fold_of[r]), ++sizes[fold_of[r]];
    for (const auto& [group, of] : folds_of) EXPECT_EQ(of.size(), 1u) << group;
    // The fold with the largest group has that one alone, if it is larger than the others need.
    const auto [least, most] = std::ranges::minmax(sizes);
    EXPECT_LE(most, std::max<std::size_t>(50, 150 / folds + 8)) << folds;
    EXPECT_GE(least, 20u) << folds;
  }
  EXPECT_THROW(draw_folds(rows.view(), rows.known(), 12, 3), config_error);
  EXPECT_NE(draw_folds(rows.view(), rows.known(), 5, 3), draw_folds(rows.view(), rows.known(), 5, 4));
}

TEST(folds, of_groups_have_each_label) {
  grouped_rows rows({6, 6, 6, 6});
  for (std::size_t r = 0; r < rows.labels.size(); ++r) rows.labels[r] = rows.group[r] < 2 ? 1.0 : -1.0;
  rows.column = label_column(rows.labels);
  EXPECT_THAT([&] { draw_folds(rows.view(), rows.known(), 3, 1); },
              testing::ThrowsMessage<input_error>(HasSubstr("rows in too few groups")));
}

TEST(validation_split, does_not_tear_groups) {
  const grouped_rows rows({50, 7, 7, 7, 8, 8, 30, 4, 4, 20, 5});
  std::set<std::vector<bool>> draws;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<bool> held = draw_validation(rows.view(), rows.known(), 0.2, seed);
    std::map<std::uint32_t, std::set<bool>> sides;
    for (std::size_t r = 0; r < held.size(); ++r) sides[rows.group[r]].insert(held[r]);
    for (const auto& [group, of] : sides) EXPECT_EQ(of.size(), 1u) << group;
    // 30 of 150 rows are asked for. The smallest group left, of 8 rows at most, is taken where that comes nearer.
    const auto count = static_cast<std::size_t>(std::ranges::count(held, true));
    EXPECT_GE(count, 26u) << seed;
    EXPECT_LE(count, 34u) << seed;
    draws.insert(held);
  }
  EXPECT_GT(draws.size(), 10u);
}

TEST(validation_split, of_few_groups_holds_one_of_them_back) {
  const grouped_rows two({90, 60});
  const std::vector<bool> held = draw_validation(two.view(), two.known(), 0.1, 1);
  EXPECT_EQ(std::ranges::count(held, true), 60);
  const grouped_rows one({90});
  EXPECT_THAT([&] { draw_validation(one.view(), one.known(), 0.1, 1); },
              testing::ThrowsMessage<config_error>(HasSubstr("all rows belong to one")));
}

TEST(folds, have_as_many_rows_of_each_label_as_each_other_or_one_more) {
  std::vector<double> labels;
  for (const std::size_t rows : {37u, 5u, 112u, 8u}) labels.insert(labels.end(), rows, static_cast<double>(rows));
  for (const std::size_t folds : {2u, 3u, 5u}) {
    const std::vector<std::uint32_t> fold_of = dealt(label_kind::classes, labels, folds);
    std::vector<std::size_t> rows(folds);
    std::map<double, std::vector<std::size_t>> of_label;
    for (std::size_t r = 0; r < labels.size(); ++r) {
      auto& counts = of_label[labels[r]];
      counts.resize(folds);
      ++counts[fold_of[r]];
      ++rows[fold_of[r]];
    }
    const auto even = [](const std::vector<std::size_t>& counts) {
      const auto [least, most] = std::ranges::minmax(counts);
      return least > 0 && most - least <= 1;
    };
    EXPECT_TRUE(even(rows));
    for (const auto& [label, counts] : of_label) EXPECT_TRUE(even(counts)) << label;
  }
}

TEST(folds, are_drawn_by_the_seed) {
  std::vector<double> labels(300);
  for (std::size_t r = 0; r < labels.size(); ++r) labels[r] = static_cast<double>(r % 2);
  const auto first = dealt(label_kind::binary, labels, 5, 1);
  EXPECT_EQ(first, dealt(label_kind::binary, labels, 5, 1));
  EXPECT_NE(first, dealt(label_kind::binary, labels, 5, 2));
  // Neighbours are not dealt in turn: of 298 pairs of rows of one label a fifth shares a fold.
  std::size_t together = 0;
  for (std::size_t r = 2; r < labels.size(); ++r) together += first[r] == first[r - 2] ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(together), 60.0, 35.0);
}

TEST(folds, need_a_row_of_each_label) {
  const std::vector<double> labels{0, 0, 0, 0, 1, 1};
  EXPECT_THAT([&] { dealt(label_kind::binary, labels, 3); },
              testing::ThrowsMessage<input_error>(HasSubstr("the label 1 has 2 rows, fewer than the 3 folds")));
  EXPECT_NO_THROW(dealt(label_kind::binary, labels, 2));
  EXPECT_NO_THROW(dealt(label_kind::real, labels, 6)) << "numbers are no classes";
  EXPECT_THAT([&] { dealt(label_kind::real, labels, 7); },
              testing::ThrowsMessage<config_error>(HasSubstr("more folds, 7, than rows, 6")));
  EXPECT_THAT([&] { dealt(label_kind::binary, labels, 1); },
              testing::ThrowsMessage<config_error>(HasSubstr("at least two folds")));
}

/// Row r has the value r + 1 in a column of its own kind, and weighs r.
test::toy_rows numbered_rows(std::size_t rows) {
  test::toy_rows toy;
  toy.columns = 4;
  for (std::size_t r = 0; r < rows; ++r)
    toy.push({static_cast<std::uint32_t>(r % 4)}, {static_cast<float>(r + 1)}, static_cast<float>(r % 2));
  return toy;
}

std::vector<std::size_t> rows_in(const sparse_view& rows) {
  std::vector<std::size_t> all;
  row_cursor cursor(rows);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const auto row = cursor.row(r);
    const auto number = static_cast<std::size_t>(row.value[0]) - 1;
    EXPECT_EQ(row.index[0], number % 4);
    EXPECT_EQ(rows.label[r], static_cast<double>(number % 2));
    EXPECT_EQ(rows.weight_of(r), static_cast<float>(number));
    EXPECT_EQ(rows.id_of(r), number);
    all.push_back(number);
  }
  return all;
}

TEST(folds, each_row_is_measured_once_and_trained_on_in_all_other_folds) {
  constexpr std::size_t rows = 23, folds = 5;
  const test::toy_rows toy = numbered_rows(rows);
  std::vector<float> weights(rows);
  for (std::size_t r = 0; r < rows; ++r) weights[r] = static_cast<float>(r);
  csr_rows csr = toy.csr();
  csr.set_weights(weights);
  const std::vector<std::uint32_t> fold_of = dealt(label_kind::binary, {toy.label.begin(), toy.label.end()}, folds);
  const row_folds by_fold(csr.view(), fold_of, folds);
  ASSERT_EQ(by_fold.folds(), folds);
  for (std::size_t k = 0; k < folds; ++k) {
    std::vector<std::size_t> trained = rows_in(by_fold.training(k)), measured = rows_in(by_fold.validation(k));
    for (const std::size_t r : measured) EXPECT_EQ(fold_of[r], k);
    for (const std::size_t r : trained) EXPECT_NE(fold_of[r], k);
    EXPECT_EQ(trained.size() + measured.size(), rows);
    trained.insert(trained.end(), measured.begin(), measured.end());
    std::ranges::sort(trained);
    EXPECT_EQ(std::ranges::adjacent_find(trained), trained.end());
    const sparse_view part = by_fold.training(k);
    EXPECT_THAT(part.degree, testing::ElementsAreArray(count_columns(part)));
  }
}

TEST(folds, are_trained_on_as_rows_are_that_somebody_has_cut_by_hand) {
  constexpr std::size_t folds = 3;
  const test::kept_rows csr = test::planted_regression({.rows = 700, .columns = 20}, 0.5);
  const std::vector<std::uint32_t> fold_of = dealt(label_kind::real, {csr.label.begin(), csr.label.end()}, folds);
  const row_folds by_fold(csr.view(), fold_of, folds);
  for (std::size_t k = 0; k < folds; ++k) {
    std::vector<std::size_t> kept, held;
    for (std::size_t other = 1; other <= folds; ++other)
      for (std::size_t r = 0; r < fold_of.size(); ++r)
        if (fold_of[r] == (k + other) % folds) (other < folds ? kept : held).push_back(r);
    const sparse_dataset training = sparse_dataset::copy_of(csr.view(), kept);
    const sparse_dataset validation = sparse_dataset::copy_of(csr.view(), held);
    train_options options{.epochs = 4, .step = {.initial = 0.05}, .l2 = 0.01};
    options.test = validation.view();
    const train_result by_hand = train(least_squares{}, training, serial_engine{}, options);
    options.test = by_fold.validation(k);
    const train_result of_fold = train(least_squares{}, by_fold.training(k), serial_engine{}, options);
    EXPECT_EQ(of_fold.parameters, by_hand.parameters);
    EXPECT_EQ(of_fold.test->loss, by_hand.test->loss);
  }
}

std::vector<bool> drawn(label_kind kind, const std::vector<double>& labels, double fraction, std::uint64_t seed = 1) {
  const label_column column(labels);
  return draw_validation({.label = column}, label_map::learn(kind, column, "toy"), fraction, seed);
}

std::size_t held_of(const std::vector<double>& labels, const std::vector<bool>& held, double label) {
  std::size_t count = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) count += held[r] && labels[r] == label ? 1 : 0;
  return count;
}

TEST(validation_split, holds_back_as_much_of_each_label_as_of_all) {
  std::vector<double> sorted(1000, 0.0);
  std::fill(sorted.begin() + 900, sorted.end(), 1.0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<bool> held = drawn(label_kind::binary, sorted, 0.2, seed);
    EXPECT_EQ(held_of(sorted, held, 0.0), 180u);
    EXPECT_EQ(held_of(sorted, held, 1.0), 20u);
  }
}

TEST(validation_split, rounds_up_or_down_by_chance_and_keeps_the_sum) {
  std::vector<double> labels;
  for (int c = 0; c < 50; ++c) labels.insert(labels.end(), 5, c);
  std::vector<std::size_t> of_class(50);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<bool> held = drawn(label_kind::classes, labels, 0.3, seed);
    EXPECT_EQ(std::ranges::count(held, true), 75);
    for (std::size_t c = 0; c < 50; ++c) {
      const std::size_t n = held_of(labels, held, static_cast<double>(c));
      EXPECT_TRUE(n == 1 || n == 2) << n;
      of_class[c] += n;
    }
  }
  // 1.5 of each: every class is rounded up in some draws and down in others, alternately as the point shifts. All 100
  // draws alike for one class has a chance of 2 * 2^-100.
  for (const std::size_t n : of_class) EXPECT_TRUE(n > 100 && n < 200) << n;
}

TEST(validation_split, leaves_a_row_of_each_class) {
  std::vector<double> labels{0, 0, 0, 0, 0, 0, 0, 0};
  for (int c = 1; c <= 8; ++c) labels.push_back(c);  // one row each
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<bool> held = drawn(label_kind::classes, labels, 0.5, seed);
    EXPECT_TRUE(std::none_of(held.begin() + 8, held.end(), [](bool h) { return h; }));
    EXPECT_EQ(held_of(labels, held, 0.0), 4u);
  }
}

// Each of 400 rows is held with chance 1/4; over 64 seeds a row's count is binomial with mean 16 and deviation 3.46. By
// Hoeffding's bound it is off by 16 or more with a chance below 2 exp(-2 * 16^2 / 64) = 6.7e-4; but the seeds are
// fixed, so the assertion is known to hold: no place in the order is left out or favoured.
TEST(validation_split, draws_from_all_places_and_by_the_seed) {
  std::vector<double> numbers(400);
  for (std::size_t r = 0; r < 400; ++r) numbers[r] = static_cast<double>(r);
  std::vector<int> times(400);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const std::vector<bool> held = drawn(label_kind::real, numbers, 0.25, seed);
    EXPECT_EQ(std::ranges::count(held, true), 100);
    for (std::size_t r = 0; r < 400; ++r) times[r] += held[r] ? 1 : 0;
  }
  EXPECT_GT(*std::ranges::min_element(times), 0);
  EXPECT_LT(*std::ranges::max_element(times), 32);
  EXPECT_EQ(drawn(label_kind::real, numbers, 0.25, 7), drawn(label_kind::real, numbers, 0.25, 7));
  EXPECT_NE(drawn(label_kind::real, numbers, 0.25, 7), drawn(label_kind::real, numbers, 0.25, 8));
}

TEST(validation_split, refuses_to_leave_a_side_empty) {
  EXPECT_THROW(drawn(label_kind::real, {1, 2, 3}, 0.1), config_error);
  EXPECT_THROW(drawn(label_kind::real, {1, 2, 3}, 0.9), config_error);
  EXPECT_THROW(drawn(label_kind::classes, {1, 2, 3}, 0.5), config_error);  // each class has one row
}

TEST(validation_split, copies_every_row_to_one_side_in_its_order) {
  const test::kept_rows data = test::planted_classification({.rows = 200, .columns = 30, .per_row = 5});
  std::vector<bool> held(200);
  for (std::size_t r = 0; r < 200; ++r) held[r] = r % 3 == 1;
  const validation_split split = split_rows(data.view(), held);
  row_cursor all(data.view()), training(split.training.view()), validation(split.validation.view());
  std::size_t next[2] = {0, 0};
  for (std::size_t r = 0; r < 200; ++r) {
    const auto row = all.row(r);
    const auto copy = (held[r] ? validation : training).row(next[held[r] ? 1 : 0]++);
    EXPECT_TRUE(std::ranges::equal(row.index, copy.index));
    EXPECT_TRUE(std::ranges::equal(row.value, copy.value));
    EXPECT_EQ(row.label, copy.label);
  }
  EXPECT_EQ(next[0], split.training.rows());
  EXPECT_EQ(next[1], split.validation.rows());
}

/// The validation losses of the epochs of a run.
observer_handle validation_to(std::vector<double>& losses) {
  return [&losses](const epoch_report& e) { losses.push_back(e.validation->loss); };
}

TEST(validation_split, of_a_resumed_run_is_the_same) {
  const test::kept_rows data = test::planted_classification({.rows = 300, .columns = 40, .per_row = 8}, 0.2);
  const test::scratch_folder folder;
  const std::string state = folder / "state";
  std::vector<double> whole, first, rest;
  train_options options{
      .epochs = 6, .step = {.initial = 0.2, .decay = 0.8}, .seed = 9, .validation_fraction = 0.3, .patience = 10};
  options.observers = {validation_to(whole)};
  const auto expected = train(logistic{}, data, serial_engine{}, options);
  options.epochs = 3, options.observers = {validation_to(first)}, options.checkpoint = state;
  train(logistic{}, data, serial_engine{}, options);
  options.epochs = 6, options.observers = {validation_to(rest)}, options.checkpoint.clear(), options.resume = state;
  const auto resumed = train(logistic{}, data, serial_engine{}, options);
  first.insert(first.end(), rest.begin(), rest.end());
  EXPECT_EQ(first, whole);
  EXPECT_EQ(resumed.parameters, expected.parameters);
}

// Rows in the order of their labels: the last ones, which were held back before, would have been of one class alone.
TEST(validation_split, of_sorted_rows_tells_how_well_new_ones_are_met) {
  test::toy_rows sorted;
  sorted.columns = 2;
  for (int r = 0; r < 400; ++r) sorted.push({r < 200 ? 0u : 1u}, {1.0f}, r < 200 ? 0.0f : 1.0f);
  std::vector<double> heard;
  train(logistic{}, sorted.csr(), serial_engine{},
        {.epochs = 5,
         .step = {.initial = 1.0},
         .l2 = 0.0,
         .validation_fraction = 0.25,
         .observers = {validation_to(heard)}});
  EXPECT_LT(heard.back(), 0.2);
}

}  // namespace
