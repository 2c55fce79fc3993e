// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/folds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/run/column_counts.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/error.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/train.hpp>

#include "support/toy_data.hpp"

using namespace hogwild;

namespace {

using ::testing::HasSubstr;

std::vector<std::uint32_t> dealt(label_kind kind, const std::vector<double>& labels, std::size_t folds,
                                 std::uint64_t seed = 1) {
  const label_column column(labels);
  return draw_folds(column, label_map::learn(kind, column, "toy"), folds, seed);
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
              testing::ThrowsMessage<config_error>(HasSubstr("two folds at least")));
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
  const test::toy_rows toy = test::planted_regression({.rows = 700, .columns = 20}, 0.5);
  const csr_rows csr = toy.csr();
  const std::vector<std::uint32_t> fold_of = dealt(label_kind::real, {toy.label.begin(), toy.label.end()}, folds);
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

}  // namespace
