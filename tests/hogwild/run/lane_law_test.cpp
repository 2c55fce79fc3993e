// SPDX-License-Identifier: Apache-2.0
// Models side by side, of every family that lanes train, against each of them alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>

#include "support/lanes_alone.hpp"
#include "support/sanitizers.hpp"

namespace hogwild {
namespace {

constexpr sharing_kind shared_or_not[] = {sharing_kind::automatic, sharing_kind::direct};

/// Models with a margin, one row at a time.
struct margin_lanes {
  static logistic model() { return {}; }
  static test::toy_rows rows() { return test::planted_classification({.rows = 700, .columns = 300, .per_row = 13}); }
  /// Options under which lanes have the bits of each alone.
  static std::vector<train_options> ways() {
    std::vector<train_options> all;
    for (const double l1 : {0.0, 1e-4})
      for (const sharing_kind sharing : shared_or_not)
        all.push_back({.l1 = l1, .sharing = sharing, .bias = l1 > 0.0 || sharing == sharing_kind::direct, .batch = 1});
    return all;
  }
  /// Whether held-out rows count as if they were cut out. Without l1 they still shrink weights.
  static bool cuts(const train_options& way) { return way.l1 > 0.0; }
  static void each_kind(const auto& f) { f(model(), rows()); }
  static void each_shape(const auto& expect) {
    for (const double l1 : {0.0, 1e-4}) {
      const auto batch = [&](std::size_t rows) { return l1 > 0.0 ? 1 : rows; };
      for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
        expect(logistic{}, rows(), {.l1 = l1, .bias = true, .batch = batch(3), .isa = set}, 16);
      for (const std::size_t n : {8u, 16u, 32u}) {
        expect(logistic{}, rows(), {.l1 = l1, .batch = 1}, n);
        expect(hinge_svm{}, rows(), {.l1 = l1, .bias = false, .batch = 1}, n);
      }
      expect(logistic{}, rows(), {.l1 = l1, .batch = batch(16)}, 8);
      expect(logistic{}, rows(), {.l1 = l1, .order = row_order::permuted, .bias = true, .batch = batch(5)}, 8);
    }
  }
  static constexpr bool takes_offsets = true, has_state = false;
  static constexpr double largest_step = 1.0;
  static double relative_step(const train_options&) { return 1.0; }
  static constexpr double band = 1.05, beside = 0.01;  ///< by two threads
  /// Rounding. A pass changes a column of these rows at most 60 times, its weight of about 1 by an error of at most
  /// 2^-24 each; through margins the errors of 13 columns reach each other, times the step of at most 0.2 and their
  /// values.
  static constexpr double of_other_weights = 1e-5, of_other_scale = 1e-5;
};

/// Linear models of several classes.
struct class_lanes {
  static constexpr test::toy_shape shape{.rows = 600, .columns = 120, .per_row = 11};

  static softmax model(std::size_t classes = 5, bool bias = true, bool rest = false) {
    return {.features = shape.columns, .classes = classes, .bias = bias, .one_vs_rest = rest};
  }
  static test::toy_rows rows(std::size_t classes = 5) { return test::planted_classes(shape, classes); }
  static std::vector<train_options> ways() { return {{}, {.sharing = sharing_kind::direct}}; }
  static bool cuts(const train_options&) { return true; }
  static void each_kind(const auto& f) {
    f(model(), rows());
    f(model(4, false, true), rows(4));
  }
  static void each_shape(const auto& expect) {
    for (const std::size_t classes : {3u, 8u, 13u}) {
      for (const std::size_t n : {8u, 16u, 32u}) {
        expect(model(classes), rows(classes), {}, n);
        expect(model(classes, false, true), rows(classes), {}, n);
      }
    }
    for (const isa set : {isa::scalar, isa::avx2, isa::avx512}) expect(model(), rows(), {.isa = set}, 16);
    expect(model(), rows(), {.form = l2_form::per_occurrence, .order = row_order::permuted}, 8);
  }
  static constexpr bool takes_offsets = false, has_state = false;
  static constexpr double largest_step = 1.0;
  // With ten times these steps a worker that is away for long undoes much of what the other one did.
  static double relative_step(const train_options&) { return 0.1; }
  static constexpr double band = 1.05, beside = 0.01;
  static constexpr double of_other_weights = 1e-5, of_other_scale = 0.0;
};

/// Factorization machines, of labels or of numbers.
struct fm_lanes {
  static constexpr test::toy_shape shape{.rows = 500, .columns = 90, .per_row = 11};

  static factorization_machine model(std::size_t factors = 6, bool numbers = false) {
    return {.features = shape.columns,
            .factors = factors,
            .labels = numbers ? label_kind::real : label_kind::binary,
            .mean = numbers ? 0.1f : 0.0f,
            .scale = numbers ? 1.5f : 1.0f};
  }
  static test::toy_rows rows(bool numbers = false) {
    return numbers ? test::planted_regression(shape) : test::planted_classification(shape);
  }
  static std::vector<train_options> ways() {
    std::vector<train_options> all;
    for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::sgd})
      for (const sharing_kind sharing : shared_or_not) all.push_back({.optimizer = by, .sharing = sharing});
    return all;
  }
  static bool cuts(const train_options&) { return true; }
  static void each_kind(const auto& f) {
    f(model(), rows());
    f(model(8, true), rows(true));
  }
  static void each_shape(const auto& expect) {
    for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::adagrad}) {
      for (const std::size_t n : {8u, 16u, 32u}) {
        expect(model(n == 8 ? 3 : n == 16 ? 8 : 16), rows(), {.optimizer = by}, n);
        expect(model(n == 8 ? 24 : n == 16 ? 13 : 4, true), rows(true), {.optimizer = by}, n);
      }
      for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
        expect(model(8), rows(), {.optimizer = by, .isa = set}, 16);
      expect(model(4), rows(), {.form = l2_form::per_occurrence, .optimizer = by, .order = row_order::permuted}, 8);
    }
  }
  static constexpr bool takes_offsets = false, has_state = true;
  static constexpr double largest_step = 0.3;
  static double relative_step(const train_options& way) { return way.optimizer == optimizer_kind::sgd ? 0.1 : 1.0; }
  static constexpr double band = 1.1, beside = 0.02;
  static constexpr double of_other_weights = 1e-5, of_other_scale = 0.0;
};

template <class Family>
struct lane_law : test::lanes_alone {
  void SetUp() override {
    if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  }
  template <class F>
  void each_way(const F& f) {
    const auto ways = Family::ways();
    for (std::size_t k = 0; k < ways.size(); ++k) {
      SCOPED_TRACE("way " + std::to_string(k) + ", seed " + std::to_string(seed));
      options = ways[k];
      f();
    }
  }
  std::vector<planned> some() { return random_lanes(8, Family::largest_step); }

  const decltype(Family::model()) m = Family::model();
};
template <class Family>
struct lane_law_of_threads : lane_law<Family> {
  void SetUp() override {}
};
using lane_families = testing::Types<margin_lanes, class_lanes, fm_lanes>;
TYPED_TEST_SUITE(lane_law, lane_families);
TYPED_TEST_SUITE(lane_law_of_threads, lane_families);

TYPED_TEST(lane_law, each_has_the_bits_that_it_has_alone) {
  TypeParam::each_shape([&](const auto& m, const test::toy_rows& rows, const train_options& o, std::size_t n) {
    if (!has_isa(o.isa)) return;
    this->options = o;
    this->expect_same_bits(m, this->take(rows), n, serial_engine{}, TypeParam::largest_step);
  });
}

TYPED_TEST(lane_law, each_has_the_bits_that_it_has_alone_on_a_shared_array) {
  this->each_way([&] {
    if (this->options.sharing != sharing_kind::direct) return;
    TypeParam::each_kind([&](const auto& m, const test::toy_rows& rows) {
      for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
        this->options.update = update;
        this->expect_same_bits(m, this->take(rows), 8, serial_engine{}, TypeParam::largest_step);
        this->expect_same_bits(m, this->rows->view(), 8, this->one, TypeParam::largest_step);
      }
    });
  });
}

TYPED_TEST(lane_law, each_heeds_weights_and_offsets_of_rows) {
  sparse_view heavy = this->take(TypeParam::rows());
  std::vector<float> weight, offset;
  for (std::size_t r = 0; r < heavy.rows(); ++r) {
    weight.push_back(0.5f * static_cast<float>(r % 5));
    offset.push_back(0.1f * static_cast<float>(r % 7));
  }
  heavy.weight = weight;
  if (TypeParam::takes_offsets) heavy.offset = offset;
  this->each_way([&] { this->expect_same_bits(this->m, heavy, 8, this->one, TypeParam::largest_step); });
}

TYPED_TEST(lane_law, each_measures_what_it_measures_alone) {
  this->options = TypeParam::ways().front();
  TypeParam::each_kind([&](const auto& m, const test::toy_rows& rows) {
    const sparse_view of = this->take(rows);
    const auto lanes = this->some();
    const prepared_task made = prepare(m, of, this->options);
    lane_run run = this->placed(made, lanes);
    run.train(1, this->steps_of(lanes));
    const auto measured = run.measure(of, lane_task::rows_of_lane::all, true);
    this->options.test = of;
    for (std::size_t k = 0; k < 8; ++k) {
      const measurement by_itself = *this->alone(m, of, lanes[k], 1).test;
      EXPECT_NEAR(measured[k].loss, by_itself.loss, 1e-6 * by_itself.loss);
      EXPECT_EQ(measured[k].accuracy, by_itself.accuracy);
      EXPECT_EQ(measured[k].auc, by_itself.auc);
      ASSERT_EQ(measured[k].rmse.has_value(), by_itself.rmse.has_value());
      EXPECT_NEAR(measured[k].rmse.value_or(0.0), by_itself.rmse.value_or(0.0), 1e-6);
    }
    this->options.test.reset();
  });
}

TYPED_TEST(lane_law, some_are_dropped_and_refilled_and_the_others_do_not_notice) {
  const sparse_view of = this->take(TypeParam::rows());
  this->each_way([&] {
    auto lanes = this->some();
    lanes[4].l2 = 0.0;  // which allows any step
    const prepared_task made = prepare(this->m, of, this->options);
    lane_run run = this->placed(made, lanes);
    run.train(1, this->steps_of(lanes));
    run.clear(2);
    std::vector<double> wild = this->steps_of(lanes);
    wild[4] = 1e30;  // diverges
    run.train(2, wild);
    const auto measured = run.measure(of, lane_task::rows_of_lane::all, false);
    EXPECT_TRUE(std::isnan(measured[2].loss));
    EXPECT_FALSE(measured[4].loss < 1e6);
    EXPECT_FALSE(run.trains(2));
    for (const float w : run.parameters(2)) EXPECT_EQ(w, 0.0f);
    // Another lane's model goes on here.
    if (TypeParam::has_state)
      run.place(2, lanes[5].asked(), run.kept(5));
    else
      run.place(2, lanes[5].asked(), run.parameters(5));
    run.place(4, lanes[4].asked());
    if (TypeParam::has_state) {
      EXPECT_EQ(run.parameters(4), run.beginning());
    }
    std::vector<double> moved = this->steps_of(lanes);
    moved[2] = moved[5];
    run.train(3, moved);
    for (const std::size_t k : {0u, 1u, 3u, 5u, 6u, 7u})
      EXPECT_EQ(run.parameters(k), this->alone(this->m, of, lanes[k], 3).parameters) << "lane " << k;
    EXPECT_LE(this->difference(run.parameters(2), run.parameters(5)), TypeParam::of_other_scale);
    EXPECT_TRUE(std::isfinite(run.measure(of, lane_task::rows_of_lane::all, false)[4].loss));
  });
}

// Each column is owed the l1 or l2 of the rows that are left.
TYPED_TEST(lane_law, each_is_as_trained_on_rows_from_which_its_fold_is_cut) {
  const sparse_view of = this->take(TypeParam::rows());
  std::vector<std::uint8_t> fold;
  for (std::size_t r = 0; r < of.rows(); ++r) fold.push_back(static_cast<std::uint8_t>(r * r % 7 % 3));
  const auto held = [](std::size_t k) { return k < 6 ? static_cast<std::uint32_t>(k % 3) : lane_rows::none; };
  this->each_way([&] {
    if (!TypeParam::cuts(this->options)) return;
    this->options.order = row_order::sequential;               // chunks of fewer rows are smaller
    if (!TypeParam::has_state) this->options.bias_rate = 0.5;  // else the rows decide, and differ where they are cut
    const auto lanes = this->some();
    const prepared_task made = prepare(this->m, of, this->options);
    lane_run run = this->placed(made, lanes);
    run.deal(fold);
    for (std::size_t k = 0; k < 8; ++k) run.place(k, lanes[k].asked({.held_out = held(k)}));
    run.train(1, this->steps_of(lanes));
    run.train(2, this->steps_of(lanes));
    const auto all = run.measure(of, lane_task::rows_of_lane::all, false);
    const auto seen = run.measure(of, lane_task::rows_of_lane::trained_on, false);
    const auto unseen = run.measure(of, lane_task::rows_of_lane::held_out, false);
    for (std::size_t k = 0; k < 8; ++k) {
      const test::kept_rows cut = this->without(fold, held(k));
      EXPECT_EQ(run.parameters(k), this->alone(this->m, cut, lanes[k], 2).parameters) << "lane " << k;
      if (k >= 6) continue;
      const auto n = static_cast<double>(fold.size());
      const auto part = static_cast<double>(std::ranges::count(fold, held(k)));
      EXPECT_NEAR(all[k].loss, (unseen[k].loss * part + seen[k].loss * (n - part)) / n, 1e-6);
    }
  });
}

TYPED_TEST(lane_law, each_counts_rows_as_its_bootstrap_does) {
  const sparse_view of = this->take(TypeParam::rows());
  this->each_way([&] {
    if (this->options.l1 > 0.0 || this->options.optimizer == optimizer_kind::adagrad) return;
    this->options.bias = false;
    const std::vector<typename TestFixture::planned> same(8, {0.05, 0.0});
    const prepared_task made = prepare(this->m, of, this->options);
    lane_run run = this->placed(made, same);
    for (std::size_t k = 0; k < 8; ++k) run.place(k, {.rows = {.bootstrap = 1 + k % 4}});
    run.train(1, this->steps_of(same));
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<float> weight;
      for (std::size_t r = 0; r < of.rows(); ++r) weight.push_back(bootstrap_count(1 + k, r));
      EXPECT_LT(this->difference(run.parameters(k), this->weighed(this->m, weight)), TypeParam::of_other_weights);
      EXPECT_EQ(run.parameters(k), run.parameters(k + 4));
      if (k > 0) {
        EXPECT_NE(run.parameters(k), run.parameters(0));
      }
    }
  });
}

TYPED_TEST(lane_law_of_threads, two_end_as_well_in_every_way_of_sharing) {
  const sparse_view of = this->take(TypeParam::rows());
  this->each_way([&] {
    if (this->options.sharing != sharing_kind::automatic) return;
    std::vector<typename TestFixture::planned> lanes{{0.05, 0.0, 1e-4},  {0.1, 1e-3, 1e-3},  {0.2, 1e-4, 3e-4},
                                                     {0.01, 1e-2, 1e-5}, {0.05, 1e-5, 1e-4}, {0.1, 0.0, 2e-3},
                                                     {0.2, 1e-3, 1e-6},  {0.01, 1e-6, 1e-4}};
    for (auto& lane : lanes) {
      lane.step *= TypeParam::relative_step(this->options);
      if (this->options.l1 == 0.0) lane.l1 = 0.0;
    }
    const auto trained = [&](const train_options& o, const auto& engine, std::size_t passes) {
      const prepared_task made = prepare(this->m, of, o);
      lane_run run = this->placed(made, lanes, engine);
      for (std::size_t pass = 1; pass <= passes; ++pass) run.train(pass, this->steps_of(lanes));
      return run.measure(of, lane_task::rows_of_lane::all, false);
    };
    const auto expected = trained(this->options, serial_engine{}, 6),
               begun = trained(this->options, serial_engine{}, 0);
    for (const sharing_kind sharing :
         {sharing_kind::automatic, sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
      if (sharing == sharing_kind::head && !TypeParam::takes_offsets) continue;  // margin models alone have one
      for (const update_kind update : {update_kind::lossy, update_kind::exact}) {
        train_options o = this->options;
        o.sharing = sharing, o.update = update;
        const auto measured = trained(o, this->two, 6);
        for (std::size_t k = 0; k < lanes.size(); ++k) {
          // On a busy machine a thread may train an epoch's half before the other begins: of six epochs' gains each
          // then has those of the other one epoch late.
          const double late = expected[k].loss + (begun[k].loss - expected[k].loss) / 6.0;
          EXPECT_LT(measured[k].loss, std::max(TypeParam::band * expected[k].loss + TypeParam::beside, late)) << k;
        }
      }
    }
  });
}

TYPED_TEST(lane_law_of_threads, any_number_repeats_to_the_bit) {
  const sparse_view of = this->take(TypeParam::rows());
  this->each_way([&] {
    if (this->options.sharing != sharing_kind::automatic) return;
    this->options.reproducible = true, this->options.virtual_workers = 3;
    const auto lanes = this->some();
    const prepared_task made = prepare(this->m, of, this->options);
    const auto by = [&](std::size_t workers) {
      thread_engine threads = this->one;
      threads.workers = workers;
      lane_run run = this->placed(made, lanes, threads);
      for (std::size_t pass = 1; pass <= 3; ++pass) run.train(pass, this->steps_of(lanes));
      return this->parameters_of(run);
    };
    const auto expected = by(1);
    EXPECT_EQ(by(2), expected);
    EXPECT_EQ(by(3), expected);
    EXPECT_NE(expected[0], expected[1]);
  });
}

}  // namespace
}  // namespace hogwild
