// SPDX-License-Identifier: Apache-2.0
#include <hogwild/first_pass.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <hogwild/core/error.hpp>
#include <hogwild/core/formats/libsvm.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/train.hpp>

#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

using namespace hogwild;
using ::testing::HasSubstr;

namespace {

/// A text, what it says, and the data that it becomes, read in one thread so that the order of its blocks is known.
class first_pass_of_text : public ::testing::Test {
 protected:
  std::string write(const test::toy_rows& rows) const {
    const std::string path = folder.path() / "rows.svm";
    std::ofstream out(path);
    write_libsvm(out, rows.csr().view());
    return path;
  }
  static std::string append(const std::string& path, const std::string& lines) {
    std::ofstream(path, std::ios::app) << lines;
    return path;
  }

  template <class M>
  static std::pair<sparse_dataset, std::shared_ptr<const trained_pass>> read(const std::string& path, const M& m,
                                                                             const train_options& options,
                                                                             std::size_t threads = 1) {
    first_pass pass(m, options);
    sparse_dataset data =
        open_libsvm(path, {.cache = open_options::cache_use::none, .threads = threads, .on_rows = pass.listener()});
    auto trained = pass.finish(data.numbering());
    return {std::move(data), std::move(trained)};
  }

  const test::scratch_folder folder;
};

/// Plain sgd over the rows in the order of the text: sixteen dots, then sixteen updates, each after a shrink.
template <class M>
std::vector<double> by_hand(const test::toy_rows& rows, const M& m, double step, double l2, bool bias) {
  std::vector<double> w(rows.columns + 1);
  for (std::size_t first = 0; first < rows.rows(); first += 16) {
    const std::size_t last = std::min(first + 16, rows.rows());
    std::vector<double> move;
    double shrunk = 1.0;
    for (std::size_t r = first; r < last; ++r, shrunk *= 1.0 - step * l2) {
      double dot = 0.0;
      for (std::size_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
        dot += w[rows.index[k]] * static_cast<double>(rows.value[k]);
      const auto margin = static_cast<float>(shrunk * dot + (bias ? w.back() : 0.0));
      move.push_back(-step * static_cast<double>(m.derivative(margin, rows.label[r])));
    }
    for (std::size_t r = first; r < last; ++r) {
      for (std::size_t j = 0; j < rows.columns; ++j) w[j] *= 1.0 - step * l2;
      for (std::size_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
        w[rows.index[k]] += move[r - first] * static_cast<double>(rows.value[k]);
      if (bias) w.back() += move[r - first];
    }
  }
  return w;
}

template <class M>
void expect_as_by_hand(const test::toy_rows& rows, const M& m, const sparse_dataset& data, const trained_pass& pass,
                       double step, double l2, bool bias) {
  const std::vector<double> expected = by_hand(rows, m, step, l2, bias);
  ASSERT_EQ(pass.parameters.size(), data.features() + (bias ? 1 : 0));
  for (std::size_t rank = 0; rank < data.features(); ++rank)
    EXPECT_NEAR(pass.parameters[rank], expected[data.original(rank) - 1], 1e-4) << data.original(rank);
  if (bias) {
    EXPECT_NEAR(pass.parameters.back(), expected.back(), 1e-4);
  }
  EXPECT_EQ(pass.examples, rows.rows());
  EXPECT_EQ(pass.nonzeros, rows.index.size());
}

TEST_F(first_pass_of_text, is_plain_sgd_in_the_order_of_the_text) {
  const auto two = test::planted_classification({.rows = 1000, .columns = 300});
  for (const bool bias : {false, true}) {
    const train_options options{.step = {.initial = 0.5}, .l2 = 0.01, .bias = bias};
    const auto [data, pass] = read(write(two), logistic{}, options);
    ASSERT_TRUE(pass);
    expect_as_by_hand(two, logistic{}, data, *pass, 0.5, 0.01, bias);
    const auto [hinge_data, hinge_pass] = read(write(two), hinge_svm{}, options);
    ASSERT_TRUE(hinge_pass);
    expect_as_by_hand(two, hinge_svm{}, hinge_data, *hinge_pass, 0.5, 0.01, bias);
  }
  const auto real = test::planted_regression({.rows = 1000, .columns = 300}, 0.5);
  const auto [data, pass] = read(write(real), least_squares{}, {.step = {.initial = 0.2}, .l2 = 0.01});
  ASSERT_TRUE(pass);
  expect_as_by_hand(real, least_squares{}, data, *pass, 0.2, 0.01, false);
}

TEST_F(first_pass_of_text, l2_is_one_over_the_rows_where_nobody_names_it) {
  const auto two = test::planted_classification({.rows = 1000, .columns = 300});
  const auto [data, pass] = read(write(two), logistic{}, {.step = {.initial = 0.5}});
  ASSERT_TRUE(pass);
  expect_as_by_hand(two, logistic{}, data, *pass, 0.5, 1e-3, false);  // the text is one block, so n is exact
}

TEST_F(first_pass_of_text, is_the_first_epoch_of_the_run_that_follows) {
  const auto two = test::planted_classification({.rows = 1000, .columns = 300});
  train_options options{.epochs = 1, .step = {.initial = 0.5, .decay = 0.8}};
  const auto [data, pass] = read(write(two), logistic{}, options);
  ASSERT_TRUE(pass);
  options.first_pass = pass;
  const auto one = train(logistic{}, data, serial_engine{}, options);
  EXPECT_EQ(one.status, run_status::done);
  EXPECT_EQ(one.epochs, 1u);
  EXPECT_EQ(one.examples, 1000u);
  EXPECT_EQ(one.parameters, pass->parameters);

  options.epochs = 8;
  const auto eight = train(logistic{}, data, serial_engine{}, options);
  EXPECT_EQ(eight.epochs, 8u);
  EXPECT_EQ(eight.examples, 8000u);
  EXPECT_LT(eight.objective, one.objective);
  options.first_pass = nullptr;
  const auto without = train(logistic{}, data, serial_engine{}, options);
  EXPECT_NEAR(eight.objective, without.objective, 0.01 * without.objective);

  options.first_pass = pass;
  options.target = target_option{metric::objective, one.objective};
  const auto reached = train(logistic{}, data, serial_engine{}, options);
  EXPECT_EQ(reached.status, run_status::target);
  EXPECT_EQ(reached.epochs, 1u);
}

class note_keeper : public observer {
 public:
  void on_note(std::string_view sentence) override { notes += sentence; }
  std::string notes;
};

TEST_F(first_pass_of_text, that_made_things_worse_is_dropped) {
  const auto two = test::planted_classification({.rows = 1000, .columns = 300});
  train_options options{.epochs = 3, .step = {.initial = 0.5}};
  const auto data = read(write(two), logistic{}, options).first;
  const auto without = train(logistic{}, data, serial_engine{}, options);
  for (const float bad : {100.0f, std::nanf("")}) {
    note_keeper keeper;
    options.observers = {&keeper};
    options.first_pass = std::make_shared<trained_pass>(
        trained_pass{.parameters = std::vector<float>(data.features(), bad), .examples = 1000});
    const auto run = train(logistic{}, data, serial_engine{}, options);
    EXPECT_THAT(keeper.notes, HasSubstr("overshot"));
    EXPECT_EQ(run.parameters, without.parameters);
    EXPECT_EQ(run.examples, without.examples);
  }
}

TEST_F(first_pass_of_text, of_another_model_is_refused) {
  const auto two = test::planted_classification({.rows = 100, .columns = 30});
  train_options options{.epochs = 3, .step = {.initial = 0.5}};
  const auto [data, pass] = read(write(two), logistic{}, options);
  options.bias = true;
  options.first_pass = pass;
  EXPECT_THROW(train(logistic{}, data, serial_engine{}, options), config_error);
}

TEST_F(first_pass_of_text, leaves_out_rows_that_it_has_no_place_for) {
  const auto two = test::planted_classification({.rows = 200, .columns = 300});
  const auto [data, pass] =
      read(append(write(two), "1 1:1 16777217:1\n-1 16777216:1\n"), logistic{}, {.step = {.initial = 0.5}});
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->examples, 201u);
  EXPECT_EQ(pass->parameters[data.numbering().rank(16777217)], 0.0f);
  EXPECT_NE(pass->parameters[data.numbering().rank(16777216)], 0.0f);

  const auto [more, of_two] = read(append(write(two), "5 1:1\n"), logistic{}, {.step = {.initial = 0.5}});
  EXPECT_EQ(of_two->examples, 200u);
}

TEST_F(first_pass_of_text, ends_where_l2_would_shrink_the_weights_away) {
  // Some three megabytes, so about three blocks of text; each shrinks what is there by e^9 or so, and e^14 is the most.
  const auto two = test::planted_classification({.rows = 40'000, .columns = 300});
  const auto [data, pass] = read(write(two), logistic{}, {.step = {.initial = 0.5}, .l2 = 1.4e-3});
  ASSERT_TRUE(pass);
  EXPECT_LT(pass->examples, two.rows());
  double squares = 0.0;
  for (const float w : pass->parameters) squares += static_cast<double>(w) * static_cast<double>(w);
  EXPECT_GT(std::sqrt(squares), 0.1);
}

TEST_F(first_pass_of_text, has_nothing_where_the_rows_come_from_a_cache) {
  const std::string path = write(test::planted_classification({.rows = 200, .columns = 30}));
  open_libsvm(path);
  const logistic model;
  first_pass pass(model, {.step = {.initial = 0.5}});
  const auto data = open_libsvm(path, {.on_rows = pass.listener()});
  EXPECT_TRUE(data.from_cache());
  EXPECT_EQ(pass.finish(data.numbering()), nullptr);
}

TEST(first_pass, options_that_need_the_rows_first_are_refused) {
  const auto refused = [](train_options options, const char* reason) {
    try {
      const logistic model;
      first_pass(model, options);
      FAIL() << reason;
    } catch (const config_error& fault) {
      EXPECT_THAT(fault.what(), HasSubstr(reason));
    }
  };
  const step_options given{.initial = 0.5};
  refused({}, "step size");
  refused({.step = given, .optimizer = optimizer_kind::adagrad}, "sgd");
  refused({.step = given, .sharing = sharing_kind::direct}, "direct");
  refused({.step = given, .order = row_order::permuted}, "order");
  refused({.step = given, .reproducible = true}, "reproducible");
  refused({.step = given, .validation_fraction = 0.1}, "validation");
  refused({.step = given, .resume = "run.ckpt"}, "resumed");
}

}  // namespace
