// SPDX-License-Identifier: Apache-2.0
// Models by row kernels, against their own gradient, which one worker under direct sharing uses.
#include <hogwild/detail/task/row_kernel_loops.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/engines.hpp>
#include <hogwild/general_model.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/train.hpp>

#include "support/ranks.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr test::toy_shape kernel_shape{.rows = 2000, .columns = 300, .per_row = 12};

/// A model on rows that suit it, and how it is trained.
struct fm_case {
  using model = factorization_machine;
  static test::toy_rows rows() { return test::planted_classification(kernel_shape); }
  model m{.features = kernel_shape.columns, .factors = 5};
};
/// Has more factors than registers hold, and numbers for labels.
struct wide_fm_case {
  using model = factorization_machine;
  static test::toy_rows rows() { return test::planted_regression(kernel_shape); }
  model m{.features = kernel_shape.columns, .factors = 43, .labels = label_kind::real, .mean = 0.5f, .scale = 2.0f};
};
template <std::size_t Classes, bool Bias>
struct softmax_case {
  using model = softmax;
  static test::toy_rows rows() { return test::planted_classes(kernel_shape, Classes); }
  model m{.features = kernel_shape.columns, .classes = Classes, .bias = Bias};
};

template <std::size_t Classes, bool Rest>
struct list_case {
  using model = softmax;
  static test::toy_rows rows() { return test::planted_lists(kernel_shape, Classes); }
  model m{.features = kernel_shape.columns, .classes = Classes, .bias = true, .one_vs_rest = Rest};
};

/// A program's own model: the score of a row's class is drawn to 1, those of the others to 0.
struct squared_classes {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  using kernel_model = squared_classes;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool bias = true;
  std::size_t features = kernel_shape.columns, classes = 3;

  std::size_t dim() const { return (features + 1) * classes; }
  std::array<parameter_group, 2> groups() const {
    return {{{.rows = features, .width = classes},
             {.name = "bias", .offset = features * classes, .rows = 1, .width = classes, .hot_first = false}}};
  }
  class_arrays arrays_in(float* w) const { return {w, w + features * classes, classes}; }
  std::size_t kernel_room() const { return classes; }
  template <std::size_t Models = 1>
  bool derive(float* s, float label) const {
    for (std::size_t m = 0; m < Models; ++m) s[static_cast<std::size_t>(label) * Models + m] -= 1.0f;
    return std::any_of(s, s + classes * Models, [](float slope) { return slope != 0.0f; });
  }
  row_score measured(const float* s, float label) const {
    std::vector<float> slopes(s, s + classes);
    derive(slopes.data(), label);
    double sum = 0.0;
    for (const float slope : slopes) sum += 0.5 * std::pow(static_cast<double>(slope), 2);
    return {sum, static_cast<float>(std::max_element(s, s + classes) - s)};
  }

  std::vector<float> scores(const auto& w, const example_type& z) const {
    std::vector<float> s(classes);
    for (auto [j, x] : z)
      for (std::size_t k = 0; k < classes; ++k) s[k] += w[j * classes + k] * x;
    for (std::size_t k = 0; k < classes; ++k) s[k] += w[features * classes + k];  // kernels begin with these
    return s;
  }
  double loss(const auto& w, const example_type& z) const { return measured(scores(w, z).data(), z.label).loss; }
  float predict(const auto& w, const example_type& z) const { return measured(scores(w, z).data(), z.label).score; }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    std::vector<float> s = scores(w, z);
    derive(s.data(), z.label);
    for (std::size_t k = 0; k < classes; ++k) {
      for (auto [j, x] : z)
        if (s[k] * x != 0.0f) emit(j * classes + k, s[k] * x);
      if (s[k] != 0.0f) emit(features * classes + k, s[k]);
    }
  }
};
static_assert(conforms<squared_classes>() && row_kernel_model<squared_classes> && !in_library<squared_classes>());
struct own_case {
  using model = squared_classes;
  static test::toy_rows rows() { return test::planted_classes(kernel_shape, 3); }
  model m{};
};

template <class Case>
struct row_kernel_runs : testing::Test {
  // OpenMP's threads spin where they wait, which takes long where CPUs are few.
  thread_engine one{.workers = 1, .team = thread_team_kind::std, .pin = false};
  thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  typename Case::model model = Case{}.m;

  train_result run(const auto& engine, const std::function<void(train_options&)>& change) const {
    train_options options{.epochs = test::sanitized ? 1u : 4u, .step = {.initial = 0.05, .decay = 0.9}, .l2 = 1e-3};
    change(options);
    return train(model, rows, engine, options);
  }
  /// The same epochs row by row on the model's own gradient, and by kernels. Both take the same rows in the same order,
  /// but round differently: each of some 10^5 partials is off by 2^-22 at most, of parameters that stay below 1. Under
  /// adagrad a step is off by 2.4e-5 of itself, and factors near 0, whose signs grow apart, make a thousand of that.
  void expect_kernels_agree(optimizer_kind kind, const std::function<void(train_options&)>& change) const {
    const double within = kind == optimizer_kind::sgd ? 1e-5 : 1e-3;
    const auto with = [&](sharing_kind sharing) {
      return run(serial_engine{}, [&](train_options& o) {
        o.optimizer = kind;
        change(o);
        o.sharing = sharing;
      });
    };
    const train_result by_gradient = with(sharing_kind::direct), by_kernels = with(sharing_kind::automatic);
    EXPECT_NEAR(by_kernels.objective, by_gradient.objective, within * by_gradient.objective);
    ASSERT_EQ(by_kernels.parameters.size(), by_gradient.parameters.size());
    double most = 0.0;
    for (std::size_t k = 0; k < by_kernels.parameters.size(); ++k)
      most = std::max(most, std::abs(static_cast<double>(by_kernels.parameters[k] - by_gradient.parameters[k])));
    EXPECT_LT(most, 100.0 * within);
    EXPECT_NE(by_kernels.parameters, by_gradient.parameters) << "there were no kernels";
  }

  test::kept_rows rows = Case::rows();
};
// The widths differ in their kernels, not in how workers share: ThreadSanitizer sees one of each.
using row_kernel_cases = std::conditional_t<
    test::thread_sanitized, testing::Types<fm_case, softmax_case<3, true>, list_case<4, true>>,
    testing::Types<fm_case, wide_fm_case, softmax_case<3, true>, softmax_case<8, false>, softmax_case<20, true>,
                   softmax_case<43, false>, list_case<20, false>, list_case<4, true>, own_case>>;
TYPED_TEST_SUITE(row_kernel_runs, row_kernel_cases);

TYPED_TEST(row_kernel_runs, kernels_do_what_the_gradient_says) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    this->expect_kernels_agree(kind, [](auto& o) { o.l2 = 0.0; });
    this->expect_kernels_agree(kind, [](auto& o) { o.l2 = 0.0, o.order = row_order::permuted; });
  }
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    this->expect_kernels_agree(kind, [](auto&) {});
    this->expect_kernels_agree(kind, [](auto& o) { o.form = l2_form::per_occurrence; });
    this->expect_kernels_agree(kind, [](auto& o) { o.freeze = {"bias"}; });
  }
}

// Workers race. Over forty runs of each case no ratio was above 1.005, and deviations were 0.006 at most, but for
// factors under adagrad, which end up to a tenth lower. Even if a ratio were 1 and an exponential number with a mean of
// 0.006, it would be above 1.12 with a chance of e^-20, 2e-9.
TYPED_TEST(row_kernel_runs, workers_with_replicas_end_as_well_as_one) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto change = [=](auto& o) { o.optimizer = kind, o.epochs = 10; };
    const double serial = this->run(serial_engine{}, change).objective;
    EXPECT_LT(this->run(this->two, change).objective, 1.12 * serial);
  }
}

TYPED_TEST(row_kernel_runs, repeat_to_the_bit_where_that_is_asked_for) {
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    const auto asked = [=](train_options& o) { o.optimizer = kind, o.reproducible = true, o.virtual_workers = 2; };
    EXPECT_EQ(this->run(this->one, asked).parameters, this->run(this->two, asked).parameters);
  }
}

TYPED_TEST(row_kernel_runs, what_is_measured_is_the_mean_loss_of_the_model) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const train_result result = this->run(serial_engine{}, [](auto& o) { o.l2 = 0.0; });
  std::vector<float> w = result.parameters;
  const param_reader<float> reader{w.data(), w.size()};
  double sum = 0.0;
  row_cursor cursor(this->rows.view());
  const label_map labels = label_map::learn(labels_of(this->model), this->rows.view().label, "toy");
  for (std::size_t r = 0; r < this->rows.rows(); ++r) sum += this->model.loss(reader, labelled_row(cursor, r, labels));
  EXPECT_NEAR(result.objective, sum / static_cast<double>(this->rows.rows()), 1e-6);
}

using fm_kernel_runs = row_kernel_runs<fm_case>;

TEST_F(fm_kernel_runs, groups_that_are_frozen_stay_as_they_are) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const auto factors_after = [&](std::size_t epochs) {
    const train_result result = run(serial_engine{}, [&](auto& o) { o.freeze = {"factors"}, o.epochs = epochs; });
    EXPECT_LT(result.objective, 0.65);  // weights alone: from log 2 on
    return std::vector<float>(result.parameters.begin(), result.parameters.begin() + kernel_shape.columns * 8);
  };
  EXPECT_EQ(factors_after(2), factors_after(4));
}

// Steps are small, and the last ones a thousandth of the first: some 1e-4 of the objective remains.
TEST(softmax_with_l2, ends_at_the_optimum_under_every_optimiser) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const test::kept_rows rows = test::planted_classes({.rows = 300, .columns = 40, .per_row = 6}, 3);
  const auto objective = [&](optimizer_kind kind, double step, sharing_kind sharing) {
    return train(softmax{.features = 40, .classes = 3}, rows, serial_engine{},
                 {.epochs = 40,
                  .step = {.initial = step, .decay = 0.84},
                  .l2 = 0.03,
                  .optimizer = kind,
                  .sharing = sharing})
        .objective;
  };
  const double optimum = objective(optimizer_kind::sgd, 0.1, sharing_kind::automatic);
  EXPECT_LT(optimum, 0.95 * std::log(3.0));
  for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::automatic})
    for (const auto& [kind, step] :
         {std::pair{optimizer_kind::sgd, 0.1}, std::pair{optimizer_kind::momentum, 0.01},
          std::pair{optimizer_kind::adagrad, 0.1}, std::pair{optimizer_kind::row_adagrad, 0.1},
          std::pair{optimizer_kind::adam, 0.01}})
      EXPECT_NEAR(objective(kind, step, sharing), optimum, 1e-3 * optimum) << static_cast<int>(kind);
}

/// A program's own model of lists: a weight of each class, which the rows that have it draw towards 1.
template <bool Lists>
struct class_weights {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool takes_lists = Lists;
  std::size_t classes = 0;

  std::size_t dim() const { return classes; }
  std::array<parameter_group, 1> groups() const { return {{{.rows = 1, .width = classes, .hot_first = false}}}; }
  double loss(const auto& w, const example_type& z) const {
    double sum = 0.0;
    for (const std::uint32_t k : z.classes) sum += 0.5 * std::pow(static_cast<double>(w[k]) - 1.0, 2);
    return sum;
  }
  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    for (const std::uint32_t k : z.classes)
      if (const float g = w[k] - 1.0f; g != 0.0f) emit(k, g);
  }
  float predict(const auto&, const example_type&) const { return 0.0f; }
};

struct list_runs : testing::Test {
  test::kept_rows rows = test::planted_lists(kernel_shape, 6);
  softmax model{.features = kernel_shape.columns, .classes = 6};
};

TEST_F(list_runs, measures_are_those_of_the_scores) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const bool rest : {false, true}) {
    model.one_vs_rest = rest;
    const train_result result = train(model, rows, thread_engine{.workers = 1, .pin = false},
                                      {.epochs = 3, .step = {.initial = 0.5}, .test = rows.view().slice(500, 1500)});
    std::vector<float> w = result.parameters;
    const param_reader<float> reader{w.data(), w.size()};
    double loss = 0.0;
    std::size_t right = 0, best_is_right = 0, said = 0, given = 0;
    row_cursor cursor(rows.view());
    for (std::size_t r = 500; r < 1500; ++r) {
      const sparse_row<float> z = labelled_row(cursor, r, result.labels);
      const std::vector<float> s = model.scores(reader, z);
      const float best = *std::ranges::max_element(s);
      loss += model.loss(reader, z);
      given += z.classes.size();
      for (std::uint32_t k = 0; k < 6; ++k) {
        const bool has = std::ranges::find(z.classes, k) != z.classes.end();
        const bool says = rest ? s[k] > 0.0f : std::exp(s[k] - best) > 0.5f;
        said += says, right += says && has;
        best_is_right += has && s[k] == best;
      }
    }
    // Kernels round the scores differently: few rows of a thousand may end on the other side.
    ASSERT_TRUE(result.test && result.test->precision_at_1);
    EXPECT_NEAR(result.test->loss, loss / 1000, 1e-5);
    EXPECT_NEAR(*result.test->precision_at_1, static_cast<double>(best_is_right) / 1000, 0.003);
    EXPECT_NEAR(*result.test->micro_f1, 2.0 * static_cast<double>(right) / static_cast<double>(said + given), 0.003);
    EXPECT_FALSE(result.test->accuracy || result.test->rmse);
    EXPECT_TRUE(result.test->macro_f1 && result.test->precision_at_5);
  }
}

TEST_F(list_runs, optimisers_without_kernels_and_one_shared_array_learn_them_too) {
  const auto objective = [&](const train_options& o) {
    return train(model, rows, thread_engine{.workers = 2, .pin = false}, o).objective;
  };
  for (const bool rest : {false, true}) {
    model.one_vs_rest = rest;
    const double untrained = rest ? 6 * std::log(2.0) : std::log(6.0);
    for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::momentum, optimizer_kind::adam})
      for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::automatic})
        EXPECT_LT(objective({.epochs = 5, .step = {.initial = 0.05}, .l2 = 0.0, .optimizer = kind, .sharing = sharing}),
                  0.9 * untrained);
  }
}

TEST_F(list_runs, models_of_programs_take_them_where_they_say_so) {
  const train_options options{.epochs = 1, .step = {.initial = 0.01}, .test = rows.view()};
  const train_result result = train(class_weights<true>{6}, rows, serial_engine{}, options);
  std::vector<std::size_t> count(6);
  for (const float label : rows.label) ++count[static_cast<std::size_t>(label)];
  for (std::size_t k = 0; k < 6; ++k) {
    const double expected = 1.0 - std::pow(0.99, static_cast<double>(count[k]));
    EXPECT_NEAR(static_cast<double>(result.parameters[k]), expected, 1e-4) << k;
  }
  EXPECT_FALSE(result.test->accuracy);  // they predict one class
  EXPECT_THROW(train(class_weights<false>{6}, rows, serial_engine{}, options), input_error);
}

// Nobody knows which rows concern such a group, so l2 is neither trained nor measured.
TEST_F(list_runs, groups_that_are_no_columns_have_no_l2_and_do_not_count) {
  const auto objective_by = [&](double l2) {
    const train_result result =
        train(class_weights<true>{6}, rows, serial_engine{}, {.epochs = 1, .step = {.initial = 0.01}, .l2 = l2});
    EXPECT_EQ(result.objective, result.train_loss);
    return result.objective;
  };
  EXPECT_EQ(objective_by(0.1), objective_by(0.0));
}

constexpr test::toy_shape ranks_shape{.rows = 600, .columns = 80, .per_row = 9};

struct fm_of_factors {
  test::toy_rows all = test::planted_classification(ranks_shape);
  factorization_machine model{.features = ranks_shape.columns, .factors = 5};
};
struct softmax_of_ranks {
  test::toy_rows all = test::planted_classes(ranks_shape, 2);
  softmax model{.features = ranks_shape.columns, .classes = 2, .bias = true};
};

template <class Case>
struct row_kernel_ranks : testing::Test, Case {
  using Case::all, Case::model;
};
using row_kernel_rank_cases = testing::Types<fm_of_factors, softmax_of_ranks>;
TYPED_TEST_SUITE(row_kernel_ranks, row_kernel_rank_cases);

// A step that falls inside an epoch falls by the rows of all ranks: two ranks with the same rows each do what a process
// does alone, and the mean of equal numbers is that number up to rounding.
TYPED_TEST(row_kernel_ranks, in_lockstep_follow_the_schedule_of_all_rows) {
  const csr_rows rows = this->all.csr();
  for (const optimizer_kind kind : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
    train_options options{.epochs = 2, .step = {.initial = 0.2, .kind = schedule_kind::linear}, .l2 = 0.0};
    options.optimizer = kind;
    const train_result alone = train(this->model, rows, serial_engine{}, options);
    std::vector<train_result> results(2);
    test::as_sound_ranks(2, [&](const test::rank_place& place) {
      const sync_engine engine{.workers = 1, .rule = sync_rule::average, .rows = 16, .ranks = &place.ranks};
      results[place.rank] = train(this->model, rows, engine, options);
    });
    for (std::size_t k = 0; k < alone.parameters.size(); ++k)
      ASSERT_NEAR(results[0].parameters[k], alone.parameters[k], 1e-5) << k;
  }
}

// The square of 1e20 is no float: a sum that overflows stands still, and so does what it divides.
TYPED_TEST(row_kernel_ranks, gradients_whose_squares_overflow_leave_parameters_finite) {
  const float other = this->all.label[0] < 0.0f ? -1.0f : 0.0f;
  test::toy_rows huge;
  huge.columns = ranks_shape.columns;
  huge.push({0, 1}, {1e20f, 1.0f}, 1.0f);
  huge.push({0}, {2e20f}, other);
  huge.push({1}, {1.0f}, 1.0f);
  const csr_rows rows = huge.csr();
  const train_result r =
      train(this->model, rows, serial_engine{},
            {.epochs = 3, .step = {.initial = 0.1}, .l2 = 0.0, .optimizer = optimizer_kind::adagrad});
  for (const float w : r.parameters) ASSERT_TRUE(std::isfinite(w));
}

}  // namespace
}  // namespace hogwild
