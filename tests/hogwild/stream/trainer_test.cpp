// SPDX-License-Identifier: Apache-2.0
#include <hogwild/trainer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/refusal.hpp"
#include "support/scratch_folder.hpp"
#include "support/streamed_rows.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using namespace hogwild::test;
using ::testing::HasSubstr;

namespace {

TEST(trainer, ends_where_one_pass_over_the_same_rows_ends_however_they_are_dealt_to_calls) {
  const sparse_view all = many_rows().view();
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options = by_sgd();
    options.optimizer = by;
    const std::vector<float> expected = one_pass(options, all);
    for (const std::size_t most : {63u, 700u, 16'500u}) {
      trainer<logistic> stream(logistic{}, serial_engine{}, options);
      feed(stream, all, most, most);
      EXPECT_EQ(stream.rows(), all.rows());
      EXPECT_EQ(stream.trained(), all.rows() / 64 * 64);
      stream.flush();
      EXPECT_EQ(stream.trained(), all.rows());
      EXPECT_EQ(stream.parameters(), expected) << most;
    }
  }
}

TEST(trainer, regularises_as_one_pass_does) {
  const sparse_view all = many_rows().view();
  // With the second l2 the scale is folded into the weights several times.
  for (const double l2 : {1e-3, 0.05}) {
    const std::vector<float> expected = one_pass(by_sgd(l2), all);
    std::vector<float> first;
    for (const std::size_t most : {100u, 3000u}) {
      trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd(l2));
      feed(stream, all, most, 7);
      stream.flush();
      const std::vector<float> got = stream.parameters();
      if (first.empty()) first = got;
      EXPECT_EQ(got, first);
      for (std::size_t j = 0; j < got.size(); ++j)
        ASSERT_NEAR(got[j], expected[j], 1e-5 + 1e-4 * std::abs(expected[j]));
    }
  }
}

TEST(trainer, takes_l1_of_all_columns_however_rows_are_dealt_to_calls) {
  const sparse_view all = many_rows().view();
  train_options options = by_sgd(1e-3);
  options.step.initial = 0.02;
  options.l1 = 2e-3;
  const auto objective = [&](std::span<const float> w) {
    double loss = 0.0, penalty = 0.0;
    for (std::size_t r = 0; r < all.rows(); ++r)
      loss += std::log1p(std::exp(-planted_score(many_rows(), r, w) * all.label[r]));
    for (const float x : w) {
      const auto v = static_cast<double>(x);
      penalty += options.l1 * std::abs(v) + 0.5e-3 * v * v;
    }
    return loss / static_cast<double>(all.rows()) + penalty;
  };
  std::vector<float> first;
  for (const std::size_t most : {100u, 3000u}) {
    trainer<logistic> stream(logistic{}, serial_engine{}, options);
    for (int pass = 0; pass < 8; ++pass) feed(stream, all, most, 7);
    stream.flush();
    const std::vector<float> got = stream.parameters();
    if (first.empty()) first = got;
    EXPECT_EQ(got, first);
  }
  options.epochs = 40;
  options.step = {};
  const std::vector<float> best = train(logistic{}, all, serial_engine{}, options).parameters;
  EXPECT_LT(objective(first), 1.02 * objective(best));
  EXPECT_GT(std::ranges::count(best, 0.0f), 0);
  EXPECT_GT(2 * std::ranges::count(first, 0.0f), std::ranges::count(best, 0.0f));
}

TEST(trainer, of_threads_ends_in_the_band_of_one_worker) {
  const sparse_view all = rows().view();
  const auto loss_by = [&](const auto& engine) {
    trainer<logistic> stream(logistic{}, engine, by_sgd());
    feed(stream, all, 900, 3);
    stream.flush();
    return loss_of(stream, all);
  };
  const double serial = loss_by(serial_engine{});
  EXPECT_LT(loss_by(thread_engine{.workers = 2, .team = thread_team_kind::std}),
            serial + 0.1 * (std::log(2.0) - serial));
}

TEST(trainer, grows_with_new_columns_and_keeps_what_it_has_learned) {
  const sparse_view all = rows().view();
  trainer<logistic> stream(logistic{}, serial_engine{},
                           [] {
                             train_options o = by_sgd(1e-3);
                             o.bias = true;
                             return o;
                           }(),
                           {.first_rows = 64});
  // The first half has the columns below 150 alone.
  test::toy_rows half;
  half.columns = 150;
  for (std::size_t r = 0; r < 640; ++r) {
    std::vector<std::uint32_t> index;
    std::vector<float> value;
    for (std::size_t k = rows().row_start[r]; k < rows().row_start[r + 1]; ++k) {
      if (rows().index[k] >= 150) continue;
      index.push_back(rows().index[k]);
      value.push_back(rows().value[k]);
    }
    half.push(index, value, rows().label[r]);
  }
  stream.partial_fit(half.csr());
  const std::vector<float> before = stream.parameters();
  ASSERT_EQ(before.size(), 151u);
  stream.partial_fit(sparse_view{.columns = 300});  // no row, but more columns
  EXPECT_EQ(stream.columns(), 300u);
  std::vector<float> after = stream.parameters();
  ASSERT_EQ(after.size(), 301u);
  EXPECT_EQ(after.back(), before.back());
  after.resize(150);
  EXPECT_TRUE(std::equal(after.begin(), after.end(), before.begin()));
  stream.partial_fit(all.slice(640, 5000));
  EXPECT_EQ(stream.parameters().size(), 301u);
  const double loss = loss_of(stream, all);
  EXPECT_LT(loss, 0.95 * std::log(2.0));
}

TEST(trainer, grows_factors_by_their_groups) {
  train_options options = by_sgd();
  options.step.initial = 0.05;
  options.batch.reset();
  trainer<factorization_machine> stream(
      [](std::size_t columns) { return factorization_machine{.features = columns, .factors = 4}; }, serial_engine{},
      options);
  test::toy_rows narrow;
  narrow.columns = 10;
  for (std::size_t r = 0; r < 5000; ++r)
    narrow.push({static_cast<std::uint32_t>(r % 10)}, {1.0f}, r % 3 == 0 ? 1.0f : -1.0f);
  stream.partial_fit(narrow.csr());
  const auto small = stream.model();
  stream.partial_fit(sparse_view{.columns = 300});
  const auto wide = stream.model();
  EXPECT_EQ(wide.parameters.size(), wide.model.dim());
  const auto scored = [&](const auto& model) { return scores(model, narrow.csr().view().slice(0, 10)); };
  EXPECT_EQ(scored(small), scored(wide));
}

TEST(trainer, tells_the_loss_of_rows_before_it_trains_on_them) {
  const sparse_view all = rows().view();
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd(), {.first_rows = 640});
  const stream_report none = stream.partial_fit(all.slice(0, 600));
  EXPECT_EQ(none.trained, 0u);
  EXPECT_TRUE(std::isnan(none.loss));
  const stream_report first = stream.partial_fit(all.slice(600, 640));
  EXPECT_EQ(first.trained, 640u);
  EXPECT_EQ(first.rows, 640u);
  EXPECT_NEAR(first.loss, std::log(2.0), 1e-6);
  const double expected = loss_of(stream, all.slice(640, 1280));
  const stream_report second = stream.partial_fit(all.slice(640, 1280));
  EXPECT_NEAR(second.loss, expected, 1e-6);
  EXPECT_EQ(second.step, 0.2);
}

TEST(trainer, lets_the_step_fall_by_the_rows_of_an_epoch) {
  train_options options = by_sgd();
  options.step = {.initial = 0.2, .decay = 0.5};
  trainer<logistic> stream(logistic{}, serial_engine{}, options, {.epoch_rows = 1000, .first_rows = 64});
  EXPECT_EQ(stream.partial_fit(rows().view().slice(0, 1024)).step, 0.2);
  EXPECT_EQ(stream.partial_fit(rows().view().slice(1024, 2048)).step, 0.1);  // epochs end at multiples of a chunk
}

TEST(trainer, weighs_rows_as_they_say) {
  // A row of weight 2 changes the weights by twice its step, where one row a batch is trained.
  train_options options = by_sgd();
  options.batch = 1;
  test::toy_rows few;
  few.columns = 1;
  few.push({0}, {1.0f}, 1.0f);
  const auto trained = [&](float weight, double step) {
    options.step.initial = step;
    const std::vector<float> weights{weight};
    csr_rows weighed = few.csr();
    weighed.set_weights(weights);
    trainer<logistic> stream(logistic{}, serial_engine{}, options);
    stream.partial_fit(weighed);
    stream.flush();
    return stream.parameters()[0];
  };
  EXPECT_FLOAT_EQ(trained(2.0f, 0.1), trained(1.0f, 0.2));
}

TEST(trainer, decides_by_its_first_rows_however_they_come) {
  train_options options;
  options.labels = {-1.0, 1.0};
  std::vector<float> first;
  for (const std::size_t most : {10u, 999u, 5000u}) {
    trainer<logistic> stream(logistic{}, serial_engine{}, options);
    feed(stream, rows().view(), most, 3);
    if (first.empty()) first = stream.parameters();
    EXPECT_EQ(stream.parameters(), first) << most;
  }
}

TEST(trainer, finds_a_step_by_few_rows_that_suits_its_own_batches) {
  // A constant term, and squares: a batch of 16 rows is stable up to a step of 1/8, which rows of this length ask for.
  const sparse_view few = many_rows().view().slice(0, 500);
  train_options options = by_sgd();
  options.bias = true;
  options.step = {};
  options.labels.clear();
  options.batch.reset();
  trainer<least_squares> stream(least_squares{}, serial_engine{}, options);
  for (int k = 0; k < 4; ++k) {
    stream.partial_fit(few);
    const stream_report told = stream.flush();
    EXPECT_LT(told.loss, 2.0) << k;
  }
}

// Labels are far from 0, and the step is found by rows whose entries are in another unit each time.
TEST(trainer, has_the_constant_that_suits_its_last_rows_in_any_unit) {
  for (const float unit : {1e-6f, 1.0f, 1e4f}) {
    test::toy_rows scaled = rows();
    for (float& x : scaled.value) x *= unit;
    for (float& y : scaled.label) y += 100.0f;
    const csr_rows kept = scaled.csr();
    trainer<least_squares> stream(least_squares{}, serial_engine{}, {.bias = true});
    for (int call = 0; call < 3; ++call) stream.partial_fit(kept.view());
    stream.flush();
    const std::vector<float> w = stream.parameters();
    double left = 0.0;
    for (std::size_t r = 0; r < scaled.rows(); ++r) {
      const double margin = static_cast<double>(w.back()) + planted_score(scaled, r, w);
      left += (margin - static_cast<double>(scaled.label[r])) / static_cast<double>(scaled.rows());
    }
    // It is exact over the last two or three blocks of 5,000 rows; the first block may count in part.
    EXPECT_NEAR(left, 0.0, 0.02) << unit;
  }
}

// With this step the squares grow by the row, to a number that is finite.
TEST(trainer, refuses_labels_that_its_model_does_not_take_before_it_holds_them) {
  trainer<poisson> counts(poisson{}, serial_engine{}, {.step = {.initial = 0.01}});
  test::toy_rows few;
  few.columns = 1;
  for (int i = 0; i < 100; ++i) few.push({0}, {1.0f}, i == 70 ? -3.0f : 2.0f);
  EXPECT_THROW(counts.partial_fit(few.csr()), error);
  EXPECT_EQ(counts.rows(), 0u);
  few.label[70] = 1.0f;
  EXPECT_EQ(counts.partial_fit(few.csr()).rows, 100u);
}

TEST(trainer, begins_with_what_it_is_told) {
  train_options options = by_sgd();
  options.initial = [](std::span<float> w) {
    ASSERT_EQ(w.size(), 300u) << "columns that there are";
    w[7] = 1.5f;
  };
  trainer<logistic> stream(logistic{}, serial_engine{}, options, {.first_rows = 64});
  test::toy_rows nothing;
  nothing.columns = 300;
  for (int i = 0; i < 64; ++i) nothing.push({}, {}, 1.0f);
  stream.partial_fit(nothing.csr());
  EXPECT_EQ(stream.parameters()[7], 1.5f);
  EXPECT_EQ(stream.parameters()[8], 0.0f);
}

TEST(trainer, refuses_rows_that_do_not_suit_and_changes_nothing) {
  const sparse_view all = rows().view();
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd(), {.first_rows = 64});
  stream.partial_fit(all.slice(0, 200));
  const std::vector<float> before = stream.parameters();
  const auto fault = [&](const test::toy_rows& bad) {
    return refusal_of<input_error>([&] { stream.partial_fit(bad.csr()); }, "");
  };
  test::toy_rows bad;
  bad.columns = 300;
  for (int i = 0; i < 100; ++i) bad.push({3}, {1.0f}, 1.0f);
  bad.label[70] = 5.0f;
  EXPECT_THAT(fault(bad), HasSubstr("row 71"));
  bad.label[70] = 1.0f;
  bad.value[80] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(fault(bad), HasSubstr("in row 81"));
  bad.value[80] = 1.0f;
  bad.index[80] = 300;
  EXPECT_THAT(fault(bad), HasSubstr("column 300"));
  sparse_view elsewhere = all.slice(200, 300);
  std::vector<std::uint32_t> numbers(300);
  for (std::uint32_t j = 0; j < 300; ++j) numbers[j] = 299 - j;
  elsewhere.original = numbers;
  EXPECT_THROW(stream.partial_fit(elsewhere), input_error);
  EXPECT_EQ(stream.rows(), 200u);
  EXPECT_EQ(stream.parameters(), before);
}

TEST(trainer, says_what_a_stream_has_no_use_for) {
  const auto said = [](auto change) {
    train_options o = by_sgd();
    change(o);
    return refusal<trainer<logistic>>(logistic{}, serial_engine{}, o);
  };
  EXPECT_THAT(said([](train_options& o) { o.labels.clear(); }), HasSubstr("declare the labels"));
  EXPECT_THAT(said([](train_options& o) { o.labels = {1.0}; }), HasSubstr("two labels, but 1"));
  EXPECT_THAT(said([](train_options& o) { o.labels = {1.0, 1.0}; }), HasSubstr("twice"));
  EXPECT_THAT(said([](train_options& o) {
                o.l1 = 0.1;
                o.optimizer = optimizer_kind::adagrad;
              }),
              HasSubstr("in a stream l1"));
  EXPECT_THAT(said([](train_options& o) { o.optimizer = optimizer_kind::ftrl; }), HasSubstr("ftrl"));
  EXPECT_THAT(said([](train_options& o) { o.weight_positive = 2.0; }), HasSubstr("weights of classes"));
  EXPECT_THAT(said([](train_options& o) { o.rounds = 2; }), HasSubstr("rounds"));
  EXPECT_THAT(said([](train_options& o) { o.step.kind = schedule_kind::inverse; }), HasSubstr("needs a decay"));
  EXPECT_THAT(said([](train_options& o) { o.l2 = 6.0; }), HasSubstr("must stay below 1"));
  EXPECT_THAT(said([](train_options& o) {
                o.l2 = 0.1;
                o.optimizer = optimizer_kind::adagrad;
              }),
              HasSubstr("in a stream l2 is for linear models"));
  EXPECT_THAT(said([](train_options& o) { o.seed = 1, o.batch = 1000; }), HasSubstr("batch"));
  EXPECT_THAT(said([](train_options& o) { o.average = 0.5; }), HasSubstr("average"));
  EXPECT_THAT(said([](train_options& o) { o.validation_fraction = 0.5; }), HasSubstr("validation"));
  EXPECT_THAT(said([](train_options& o) {
                o.step.kind = schedule_kind::cosine;
                o.step.decay = 0.1;
              }),
              HasSubstr("last epoch"));
  EXPECT_THAT(said([](train_options& o) { o.order = row_order::permuted; }), HasSubstr("in the order of its rows"));
  train_options numbers;
  numbers.labels = {1.0, 2.0};
  EXPECT_THAT(refusal<trainer<least_squares>>(least_squares{}, serial_engine{}, numbers),
              HasSubstr("this model learns numbers"));
  trainer<logistic> none(logistic{}, serial_engine{}, by_sgd());
  EXPECT_THROW(none.parameters(), config_error);
}

TEST(trainer, knows_the_classes_that_have_not_come_yet) {
  train_options options = by_sgd();
  options.labels = {7.0, 1.0, 3.0};
  options.batch.reset();
  trainer<softmax> stream([](std::size_t columns) { return softmax{.features = columns, .classes = 3}; },
                          serial_engine{}, options, {.first_rows = 64});
  test::toy_rows two;
  two.columns = 4;
  for (int i = 0; i < 640; ++i) two.push({static_cast<std::uint32_t>(i % 2)}, {1.0f}, i % 2 == 0 ? 7.0f : 1.0f);
  stream.partial_fit(two.csr());
  EXPECT_EQ(predict(stream.model(), two.csr().view().slice(0, 2)), (std::vector<double>{7.0, 1.0}));
}

TEST(trainer, saves_what_can_be_loaded) {
  const test::scratch_folder folder;
  trainer<logistic> stream(logistic{}, serial_engine{}, by_sgd());
  stream.partial_fit(rows());
  stream.save(folder.path() / "model");
  const auto read = load<logistic>(folder.path() / "model");
  EXPECT_EQ(read.parameters, stream.parameters());
  EXPECT_EQ(read.labels, label_map(label_kind::binary, {-1.0, 1.0}));
}

}  // namespace
