// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/validation_split.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

std::vector<bool> drawn(label_kind kind, const std::vector<double>& labels, double fraction, std::uint64_t seed = 1) {
  const label_column column(labels);
  return draw_validation(column, label_map::learn(kind, column, "toy"), fraction, seed);
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
  const test::toy_rows toy = test::planted_classification({.rows = 200, .columns = 30, .per_row = 5});
  const csr_rows data = toy.csr();
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

struct heard_epochs : observer {
  std::vector<double> validation;
  observer_answer on_epoch(const epoch_report& e) override {
    validation.push_back(e.validation->loss);
    return observer_answer::go_on;
  }
};

TEST(validation_split, of_a_resumed_run_is_the_same) {
  const test::toy_rows toy = test::planted_classification({.rows = 300, .columns = 40, .per_row = 8}, 0.2);
  const csr_rows data = toy.csr();
  const test::scratch_folder folder;
  const std::string state = folder / "state";
  heard_epochs whole, first, rest;
  train_options options{
      .epochs = 6, .step = {.initial = 0.2, .decay = 0.8}, .seed = 9, .validation_fraction = 0.3, .patience = 10};
  options.observers = {&whole};
  const auto expected = train(logistic{}, data, serial_engine{}, options);
  options.epochs = 3, options.observers = {&first}, options.checkpoint = state;
  train(logistic{}, data, serial_engine{}, options);
  options.epochs = 6, options.observers = {&rest}, options.checkpoint.clear(), options.resume = state;
  const auto resumed = train(logistic{}, data, serial_engine{}, options);
  first.validation.insert(first.validation.end(), rest.validation.begin(), rest.validation.end());
  EXPECT_EQ(first.validation, whole.validation);
  EXPECT_EQ(resumed.parameters, expected.parameters);
}

// Rows in the order of their labels: the last ones, which were held back before, would have been of one class alone.
TEST(validation_split, of_sorted_rows_tells_how_well_new_ones_are_met) {
  test::toy_rows sorted;
  sorted.columns = 2;
  for (int r = 0; r < 400; ++r) sorted.push({r < 200 ? 0u : 1u}, {1.0f}, r < 200 ? 0.0f : 1.0f);
  heard_epochs heard;
  train(logistic{}, sorted.csr(), serial_engine{},
        {.epochs = 5, .step = {.initial = 1.0}, .l2 = 0.0, .validation_fraction = 0.25, .observers = {&heard}});
  EXPECT_LT(heard.validation.back(), 0.2);
}

}  // namespace
