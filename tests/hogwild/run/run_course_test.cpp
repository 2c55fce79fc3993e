// SPDX-License-Identifier: Apache-2.0
// A run that ends worse than it began has diverged, whatever number it ends with; one that wanders by chance has not.
#include <hogwild/detail/run/run_course.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/detail/results/checkpoint.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/heard_run.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr test::toy_shape course_shape{.rows = 300, .columns = 20, .per_row = 5, .seed = 6};

/// Keeps the reports, and ends the run after an epoch.
struct noted final : test::heard_run {
  std::size_t last = 0;  ///< 0: none
  observer_answer on_epoch(const epoch_report& e) override {
    heard_run::on_epoch(e);
    return e.epoch == last ? observer_answer::stop : observer_answer::go_on;
  }
};

struct run_ends : testing::Test {
  noted told{};
  template <class M, class Engine = serial_engine>
  train_result run(const M& m, const test::toy_rows& rows, train_options o, const Engine& engine = {},
                   std::size_t last = 0) {
    told = {};
    told.last = last;
    o.observers = {told};
    return train(m, rows.csr(), engine, o);
  }
  static test::toy_rows counts() {
    test::toy_rows rows = test::planted_regression(course_shape);
    for (float& y : rows.label) y = std::round(std::abs(y));
    return rows;
  }
};

TEST_F(run_ends, in_divergence_where_a_blow_up_is_finite) {
  const auto expect_diverged = [&](const auto& m, const test::toy_rows& rows, double step, optimizer_kind by) {
    const train_result r =
        run(m, rows,
            {.epochs = 4, .step = {.initial = step, .kind = schedule_kind::constant}, .l2 = 1e-4, .optimizer = by});
    ASSERT_TRUE(std::isfinite(r.objective)) << "a test of what is finite";
    EXPECT_EQ(r.status, run_status::diverged) << std::decay_t<decltype(m)>::name << " ends at " << r.objective;
    EXPECT_THAT(told.notes, Contains(HasSubstr("the run ends worse than it began: its objective is ")));
  };
  const test::toy_rows numbers = test::planted_regression(course_shape);
  expect_diverged(poisson{}, counts(), 8.0, optimizer_kind::adagrad);
  expect_diverged(
      factorization_machine{.features = course_shape.columns, .factors = 3, .labels = label_kind::real, .mean = 0.0f},
      numbers, 30.0, optimizer_kind::adagrad);
  test::toy_rows any_class = numbers;  // nothing that could be learned by steps of any size
  for (std::size_t r = 0; r < any_class.rows(); ++r) any_class.label[r] = static_cast<float>(r % 3);
  expect_diverged(softmax{.features = course_shape.columns, .classes = 3}, any_class, 1000.0, optimizer_kind::sgd);
  expect_diverged(logistic{}, test::planted_classification(course_shape, 0.4), 1000.0, optimizer_kind::sgd);
}

// On rows of length one least squares are stable below a step of 2; the step rises by 0.75 an epoch.
TEST_F(run_ends, in_divergence_that_names_the_last_good_epoch) {
  const test::toy_rows rows = test::planted_regression(course_shape);
  double start = 0.0;
  for (const float y : rows.label) start += 0.5 * double{y} * double{y} / static_cast<double>(rows.rows());
  const train_result r = run(least_squares{}, rows, {.epochs = 9, .step = {.initial = 6.0, .warm_up = 8}, .l2 = 0.0});
  ASSERT_EQ(r.status, run_status::diverged);
  std::size_t good = 0;
  for (std::size_t e = 0; e < told.epochs.size(); ++e)
    if (told.epochs[e].objective <= start) good = e + 1;
  ASSERT_GE(good, 1u);
  ASSERT_LT(good, told.epochs.size());
  EXPECT_THAT(told.notes, Contains(HasSubstr("the last good epoch is " + std::to_string(good))));
}

// The epoch that a tolerance keeps is judged by the losses of its own parameters, not by the wider ones of the last.
TEST_F(run_ends, in_divergence_where_the_kept_epoch_is_worse_than_the_beginning) {
  test::toy_rows any_class = test::planted_regression(course_shape);
  for (std::size_t r = 0; r < any_class.rows(); ++r) any_class.label[r] = static_cast<float>(r % 3);
  const softmax m{.features = course_shape.columns, .classes = 3};
  const train_result r = run(m, any_class, {.epochs = 10, .step = {.initial = 100.0}, .l2 = 1e-4, .tolerance = 1e-3});
  ASSERT_GT(r.objective, 2.0 * std::log(3.0)) << "a test of what is worse";
  EXPECT_EQ(r.status, run_status::diverged);
}

// Labels that do not depend on columns: the objective has to end a little above where it began.
TEST_F(run_ends, as_asked_where_there_is_nothing_to_learn) {
  test::toy_rows chance = test::planted_rows(course_shape);
  const counter_random coin(3, 4);
  for (std::size_t r = 0; r < chance.rows(); ++r) chance.label[r] = coin.uniform(r) < 0.5 ? -1.0f : 1.0f;
  const train_result r =
      run(logistic{}, chance, {.epochs = 2, .step = {.initial = 0.5, .kind = schedule_kind::constant}, .l2 = 0.0});
  EXPECT_EQ(r.status, run_status::done);
}

// From the optimum a fresh step can only lead away, by a little.
TEST_F(run_ends, as_asked_after_a_warm_start_at_the_optimum) {
  const test::toy_rows rows = test::planted_regression(course_shape);
  const train_result best = run(least_squares{}, rows, {.epochs = 60, .l2 = 0.0});
  const train_result again =
      run(least_squares{}, rows, {.epochs = 1, .step = {.initial = 0.1}, .l2 = 0.0, .initial = [&](std::span<float> w) {
                                    std::ranges::copy(best.parameters, w.begin());
                                  }});
  EXPECT_GT(again.objective, best.objective);
  EXPECT_EQ(again.status, run_status::done);
}

/// Counts accesses to rows.
struct counted_squares : least_squares {
  static constexpr std::string_view name = "counted_squares";
  static inline std::size_t looks = 0;
  double loss(float margin, float label) const {
    ++looks;
    return least_squares::loss(margin, label);
  }
};

/// A run that is stopped and resumed from its checkpoint.
struct resumed_run_ends : run_ends {
  const test::scratch_folder folder;
  const test::toy_rows rows = test::planted_regression(course_shape, 0.0);

  /// Returns the objective at the stop, and the end of the run.
  template <class M = least_squares, class Engine = serial_engine>
  std::pair<double, train_result> in_two_parts(train_options o, std::size_t first, const Engine& engine = {}) {
    o.checkpoint = folder / "run";
    const double then = run(M{}, rows, o, engine, first).objective;
    o.resume = std::exchange(o.checkpoint, "");
    return {then, run(M{}, rows, o, engine)};
  }
  double objective_of_zeros() const {
    double sum = 0.0;
    for (const float y : rows.label) sum += 0.5 * double{y} * double{y};
    return sum / static_cast<double>(rows.rows());
  }
};

// It begins far away and comes a part of the way back. Zeros would be better, but the run never had them.
TEST_F(resumed_run_ends, as_asked_where_it_is_better_than_the_warm_start_of_its_first_part) {
  train_options o{.epochs = 2, .step = {.initial = 1e-3}, .l2 = 0.0};
  o.initial = [](std::span<float> w) { std::ranges::fill(w, 100.0f); };
  const auto expect_done = [&](const auto& engine) {
    const auto [before, r] = in_two_parts(o, 1, engine);
    EXPECT_LT(r.objective, before);
    ASSERT_GT(r.objective, 10.0 * objective_of_zeros());
    EXPECT_EQ(r.status, run_status::done) << r.objective;
    EXPECT_THAT(told.notes, testing::Not(Contains(HasSubstr("worse"))));
  };
  expect_done(serial_engine{});
  o.sharing = sharing_kind::buffered;
  expect_done(thread_engine{.workers = 2, .team = thread_team_kind::std, .pin = false});
}

// It begins next to the optimum of rows without noise. A rising step leads away from there, to an objective that is
// many times that of the beginning, and still better than that of zeros.
TEST_F(resumed_run_ends, in_divergence_that_names_the_last_good_epoch_of_before) {
  const train_result best = run(least_squares{}, rows, {.epochs = 200, .step = {.initial = 0.5}, .l2 = 0.0});
  train_options o{.epochs = 8, .step = {.initial = 1.9, .warm_up = 7}, .l2 = 0.0};
  o.initial = [&](std::span<float> w) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.99999f * best.parameters[j];
  };
  const auto [before, r] = in_two_parts(o, 7);
  ASSERT_GT(r.objective, before);
  ASSERT_LT(r.objective, objective_of_zeros());
  EXPECT_EQ(r.status, run_status::diverged);
  EXPECT_THAT(told.notes, Contains(HasSubstr("the last good epoch is 7")));
}

// A checkpoint of it would take the place of one to resume from, and no measurement would tell.
TEST_F(resumed_run_ends, without_a_checkpoint_of_the_epoch_in_which_it_breaks_down) {
  const std::string path = folder / "run";
  for (const std::size_t every : {1u, 100u}) {
    train_options o{.epochs = 100, .step = {.initial = 2.2, .decay = 1.0}, .l2 = 0.0, .measure_every = every};
    o.checkpoint = path + std::to_string(every);
    const train_result r = run(least_squares{}, rows, o);
    EXPECT_EQ(r.status, run_status::diverged);
    EXPECT_FALSE(std::isfinite(r.objective));
    ASSERT_LT(r.epochs, 100u);
    const checkpoint last = read_checkpoint(o.checkpoint);
    EXPECT_EQ(last.epoch, r.epochs - 1);
    EXPECT_THAT(last.get_vector<float>("parameters"),
                testing::Each(testing::Truly([](float w) { return std::isfinite(w); })));
  }
}

// Its parameters stay as they are, though not because examples change nothing.
TEST_F(resumed_run_ends, in_divergence_where_it_begins_with_no_numbers) {
  train_options o{.epochs = 1, .step = {.initial = 0.1}, .l2 = 0.0};
  o.checkpoint = folder / "run";
  run(least_squares{}, rows, o);
  checkpoint state = read_checkpoint(o.checkpoint);
  state.put_span("parameters", std::span<const float>(std::vector<float>(course_shape.columns, NAN)));
  write_checkpoint(o.checkpoint, state);
  o.resume = std::exchange(o.checkpoint, "");
  o.epochs = 2;
  EXPECT_EQ(run(least_squares{}, rows, o).status, run_status::diverged);
  EXPECT_THAT(told.notes, testing::Not(Contains(HasSubstr("changed a parameter"))));
}

TEST_F(resumed_run_ends, are_told_without_measuring_zeros_again) {
  train_options o{.epochs = 1, .step = {.initial = 0.1}, .l2 = 0.0};
  in_two_parts<counted_squares>(o, 1);
  counted_squares::looks = 0;
  o.resume = folder / "run";
  run(counted_squares{}, rows, o);
  EXPECT_EQ(counted_squares::looks, 2 * rows.rows()) << "as it goes on, and at its end";
}

TEST(run_course, tells_worse_ends_beyond_noise_and_rounding_alone) {
  run_course course{.start = 0.5};
  EXPECT_FALSE(course.is_above(0.5 + 1e-7));
  EXPECT_TRUE(course.ended_worse(1.0, 1.0));
  EXPECT_FALSE(course.ended_worse(0.6, 1.0)) << "a tenth of the spread";
  EXPECT_TRUE(course.ended_worse(0.6, 0.0));
  EXPECT_FALSE(course.ended_worse(0.4, 0.0));
  EXPECT_FALSE(run_course{}.ended_worse(1e9, 0.0)) << "nobody knows where it began";
  course.take(1, 0.4), course.take(2, 0.5), course.take(3, 7.0);
  EXPECT_EQ(
      course.told(4, 9.0),
      "the run ends worse than it began: its objective is 9 after epoch 4, and was 0.5 before the first; the last "
      "good epoch is 2");
}

// One loss beyond all bounds among rows that are as they were: the mean rises without limit, and the spread does not.
TEST(run_course, has_a_spread_that_few_rows_do_not_move) {
  const auto loss = [](std::size_t r) { return r == 7 ? 1e18 : 1.0 + 0.125 * static_cast<double>(r % 3); };
  EXPECT_EQ(spread_of_losses(64, loss), 0.125);
  EXPECT_EQ(spread_of_losses(0, loss), 0.0);
}

}  // namespace
}  // namespace hogwild
