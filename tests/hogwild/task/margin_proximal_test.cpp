// SPDX-License-Identifier: Apache-2.0
// Linear models with l1, and under ftrl: row by row against their formulas, and where they end against the optimum.
#include <hogwild/detail/loop/margin_proximal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hogwild/error.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/softmax.hpp>
#include <hogwild/names.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "support/refusal.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/toy_data.hpp"

namespace hogwild {
namespace {

constexpr optimizer_kind all_kinds[] = {optimizer_kind::sgd, optimizer_kind::adagrad, optimizer_kind::ftrl};

/// Least squares that records which rows are trained, by their labels.
struct told_rows {
  static constexpr std::string_view name = "told_rows";
  static constexpr label_kind labels = label_kind::real;
  static inline std::vector<float> trained;
  double loss(float m, float y) const { return 0.5 * (m - y) * (m - y); }
  float derivative(float m, float y) const {
    if (y != 1.0f && y != -1.0f) trained.push_back(y);  // labels of 1 and -1 are used to find the curvature
    return m - y;
  }
};

/// The formulas of margin_proximal_step, in double precision, one weight a column.
struct by_hand {
  optimizer_kind kind;
  double step, l1, l2;  ///< l1 and l2 of the mean loss
  std::vector<double> w, n, z;

  static double soft(double x, double t) { return x > t ? x - t : x < -t ? x + t : 0.0; }

  void end_epoch(double l1_left) {
    for (std::size_t j = 0; j < 40 && kind != optimizer_kind::ftrl; ++j)
      w[j] = soft(w[j], step * l1_left / (kind == optimizer_kind::sgd ? 1.0 : std::sqrt(n[j] + 1e-8)));
  }
  void take(std::size_t j, double g, double l1_here, double l2_here, double lambda1, double lambda2) {
    if (kind == optimizer_kind::sgd) {
      w[j] = soft(w[j] - step * g, step * l1_here) / (1.0 + step * l2_here);
    } else if (kind == optimizer_kind::adagrad) {
      g += l2_here * w[j];
      n[j] += g * g;
      const double size = step / std::sqrt(n[j] + 1e-8);
      w[j] = soft(w[j] - size * g, size * l1_here);
    } else {
      z[j] += g - (std::sqrt(n[j] + g * g) - std::sqrt(n[j])) / step * w[j];
      n[j] += g * g;
      w[j] = -soft(z[j], lambda1) / ((1.0 + std::sqrt(n[j])) / step + lambda2);
    }
  }
};

TEST(margin_proximal, is_its_formulas_row_by_row) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  test::toy_rows toy = test::planted_regression({.rows = 300, .columns = 40, .per_row = 6});
  for (std::size_t r = 0; r < toy.rows(); ++r) toy.label[r] = 0.002f * static_cast<float>(r) - 0.3f;
  const csr_rows data = toy.csr();
  std::vector<double> degree(40);
  for (const std::uint32_t j : toy.index) degree[j] += 1.0;
  constexpr double l1 = 2e-3, l2 = 1e-2, rows = 300.0;
  for (const optimizer_kind kind : all_kinds) {
    told_rows::trained.clear();
    train_options options{.epochs = 3, .step = {.initial = 0.05}};
    options.l1 = l1, options.l2 = l2, options.optimizer = kind, options.constants.ftrl_beta = 1.0;
    const train_result run = train(told_rows{}, data, serial_engine{}, options);
    ASSERT_EQ(told_rows::trained.size(), 900u) << name_of(kind);
    by_hand hand{kind, 0.05, l1, l2, std::vector<double>(40), std::vector<double>(40), std::vector<double>(40)};
    constexpr double by_rows = 1.0 - l1_at_the_gate;
    for (std::size_t i = 0; i < 900; ++i) {
      const auto passes = static_cast<double>(i / 300 + 1);
      const auto r = static_cast<std::size_t>(std::ranges::find(toy.label, told_rows::trained[i]) - toy.label.begin());
      const double slope = test::planted_score(toy, r, hand.w) - static_cast<double>(toy.label[r]);
      for (std::size_t k = toy.row_start[r]; k < toy.row_start[r + 1]; ++k) {
        const std::size_t j = toy.index[k];
        hand.take(j, slope * static_cast<double>(toy.value[k]), by_rows * l1 * rows / degree[j], l2 * rows / degree[j],
                  l1 * rows * passes, l2 * rows * passes);
      }
      if (i % 300 == 299) hand.end_epoch(l1_at_the_gate * l1 * rows);
    }
    for (std::size_t j = 0; j < 40; ++j)
      EXPECT_NEAR(static_cast<double>(run.parameters[j]), hand.w[j], 2e-4) << name_of(kind) << " " << j;
    EXPECT_GT(std::ranges::count(run.parameters, 0.0f), 0) << name_of(kind);
  }
}

/// Rows whose labels depend on a few columns only.
struct few_decide : testing::Test {
  static constexpr double l1 = 0.01;

  static test::toy_rows made() {
    test::toy_rows rows = test::planted_rows({.rows = 3000, .columns = 60, .per_row = 8});
    const counter_random flips(5, 0);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      double score = 0.0;
      for (std::size_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
        if (rows.index[k] % 6 == 0)
          score += (rows.index[k] % 12 == 0 ? 3.0 : -3.0) * static_cast<double>(rows.value[k]);
      rows.label[r] = (score > 0.0) != (flips.uniform(r) < 0.1) ? 1.0f : -1.0f;
    }
    return rows;
  }
  static double objective(const test::toy_rows& rows, const std::vector<double>& w) {
    double sum = 0.0, norm = 0.0;
    for (std::size_t r = 0; r < rows.rows(); ++r)
      sum += std::log1p(std::exp(-test::planted_score(rows, r, w) * static_cast<double>(rows.label[r])));
    for (const double x : w) norm += std::abs(x);
    return sum / static_cast<double>(rows.rows()) + l1 * norm;
  }
  /// The optimum by proximal steps of the whole gradient (ISTA), until nothing moves.
  static std::vector<double> optimum(const test::toy_rows& rows) {
    std::vector<double> w(rows.columns);
    double square = 0.0;
    for (const float x : rows.value) square += static_cast<double>(x) * static_cast<double>(x);
    const double size = 4.0 * static_cast<double>(rows.rows()) / square;  // below 1 / the curvature
    for (int i = 0; i < 3000; ++i) {
      std::vector<double> g(rows.columns);
      for (std::size_t r = 0; r < rows.rows(); ++r) {
        const double y = static_cast<double>(rows.label[r]);
        const double slope =
            -y / (1.0 + std::exp(y * test::planted_score(rows, r, w))) / static_cast<double>(rows.rows());
        for (std::size_t k = rows.row_start[r]; k < rows.row_start[r + 1]; ++k)
          g[rows.index[k]] += slope * static_cast<double>(rows.value[k]);
      }
      double moved = 0.0;
      for (std::size_t j = 0; j < w.size(); ++j) {
        const double before = w[j];
        w[j] = soft_threshold(w[j] - size * g[j], size * l1);
        moved = std::max(moved, std::abs(w[j] - before));
      }
      if (moved < 1e-6) break;
    }
    return w;
  }
  /// Found once for all tests.
  static const std::vector<double>& optimum_of_all() {
    static const std::vector<double> found = optimum(made());
    return found;
  }
  train_options options(optimizer_kind kind, std::size_t epochs = 20) const {
    train_options o{.epochs = epochs};
    o.step.initial = kind == optimizer_kind::ftrl ? 0.5 : 0.2;
    if (kind != optimizer_kind::ftrl) o.step.decay = 0.8;
    o.l1 = l1, o.optimizer = kind;
    return o;
  }

  const test::kept_rows data = made();
  const std::vector<double>& best = optimum_of_all();
  const double least = objective(data, best);
};

TEST_F(few_decide, ends_at_the_optimum_with_zeros) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  const auto zeros = static_cast<double>(std::ranges::count(best, 0.0));
  ASSERT_GT(zeros, 30.0);
  for (const optimizer_kind kind : all_kinds) {
    const train_result run = train(logistic{}, data, serial_engine{}, options(kind));
    EXPECT_NEAR(run.objective, least, 0.005 * least) << name_of(kind);
    const auto same = std::ranges::count(run.parameters, 0.0f);
    EXPECT_GT(static_cast<double>(same), 0.8 * zeros) << name_of(kind);
    // The reported objective is that of the definition.
    std::vector<double> w(run.parameters.begin(), run.parameters.end());
    EXPECT_NEAR(run.objective, objective(data, w), 1e-6) << name_of(kind);
    EXPECT_EQ(run.l2, 0.0);
  }
}

TEST_F(few_decide, takes_row_adagrad_for_adagrad) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  EXPECT_EQ(train(logistic{}, data, serial_engine{}, options(optimizer_kind::row_adagrad, 3)).parameters,
            train(logistic{}, data, serial_engine{}, options(optimizer_kind::adagrad, 3)).parameters);
}

TEST_F(few_decide, is_the_same_wherever_one_worker_reads_and_writes) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const optimizer_kind kind : all_kinds) {
    const train_result alone = train(logistic{}, data, serial_engine{}, options(kind, 3));
    for (const update_kind update : {update_kind::exact, update_kind::locked, update_kind::edge_locked}) {
      train_options o = options(kind, 3);
      o.update = update;
      EXPECT_EQ(train(logistic{}, data, serial_engine{}, o).parameters, alone.parameters) << name_of(update);
    }
    for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
      train_options o = options(kind, 3);
      o.sharing = sharing;
      EXPECT_NEAR(train(logistic{}, data, serial_engine{}, o).objective, alone.objective, 1e-4) << name_of(kind);
    }
  }
}

// Over 60 runs objectives ended 0.0 to 0.6 % above the least, under ftrl, which varied most, 0.49 % with a deviation of
// 0.07 %: the band of 2 % is more than twenty of these away. 51 weights at least were 0 in all of them, of 52 in the
// optimum.
TEST_F(few_decide, ends_near_the_optimum_with_several_workers) {
  const thread_engine two{.workers = 2, .team = thread_team_kind::std, .pin = false};
  for (const optimizer_kind kind : all_kinds) {
    for (const sharing_kind sharing : {sharing_kind::direct, sharing_kind::buffered, sharing_kind::head}) {
      train_options o = options(kind);
      o.sharing = sharing;
      const train_result run = train(logistic{}, data, two, o);
      EXPECT_NEAR(run.objective, least, 0.02 * least) << name_of(kind) << " " << name_of(sharing);
      EXPECT_GT(std::ranges::count(run.parameters, 0.0f), 30) << name_of(kind) << " " << name_of(sharing);
      EXPECT_LT(std::ranges::count(run.parameters, 0.0f), std::ssize(run.parameters)) << "no weight is left";
    }
    const train_result ring =
        train(logistic{}, data, ring_engine{.workers = 2, .replicas = 2, .team = thread_team_kind::std}, options(kind));
    EXPECT_NEAR(ring.objective, least, 0.02 * least) << name_of(kind);
    if (kind == optimizer_kind::ftrl) {
      EXPECT_THROW(train(logistic{}, data, local_sgd_engine{.workers = 4}, options(kind)), config_error);
      continue;
    }
    // The mean keeps a quarter of what rows change, and a quarter of what the gate takes. Such runs repeat to the bit:
    // they end 0.02 % above the least, and where the gate takes all, at no weights, 0.52 % above it.
    const train_result averaged = train(logistic{}, data, local_sgd_engine{.workers = 4}, options(kind));
    EXPECT_NEAR(averaged.objective, least, 0.001 * least) << name_of(kind);
  }
}

TEST_F(few_decide, repeats_for_any_number_of_workers_of_a_reproducible_run) {
  for (const optimizer_kind kind : all_kinds) {
    train_options o = options(kind, 4);
    o.reproducible = true, o.virtual_workers = 4;
    const auto trained = [&](std::size_t workers) {
      return train(logistic{}, data, thread_engine{.workers = workers, .team = thread_team_kind::std}, o).parameters;
    };
    EXPECT_EQ(trained(1), trained(3)) << name_of(kind);
  }
}

TEST_F(few_decide, goes_on_from_a_checkpoint) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const optimizer_kind kind : all_kinds) {
    const test::scratch_folder folder;
    train_options o = options(kind, 6);
    const train_result whole = train(logistic{}, data, serial_engine{}, o);
    o.epochs = 3, o.checkpoint = folder / "state";
    train(logistic{}, data, serial_engine{}, o);
    o.epochs = 6, o.resume = std::exchange(o.checkpoint, {});
    EXPECT_EQ(train(logistic{}, data, serial_engine{}, o).parameters, whole.parameters) << name_of(kind);
    o.l1 = 0.02;
    EXPECT_THROW(train(logistic{}, data, serial_engine{}, o), config_error);
  }
}

TEST_F(few_decide, finds_a_step) {
  if (test::thread_sanitized) GTEST_SKIP() << "one thread trains";
  for (const optimizer_kind kind : all_kinds) {
    train_options o = options(kind);
    o.step = {};
    const train_result run = train(logistic{}, data, serial_engine{}, o);
    EXPECT_TRUE(run.step_found);
    EXPECT_NEAR(run.objective, least, 0.01 * least) << name_of(kind);
  }
}

TEST_F(few_decide, is_refused_where_it_has_no_meaning) {
  using testing::HasSubstr;
  const auto said = [&](optimizer_kind kind, const std::function<void(train_options&)>& change, const auto& m,
                        const auto& engine) {
    train_options o = options(kind, 1);
    change(o);
    return test::refusal_of([&] { train(m, data, engine, o); });
  };
  const softmax classes{.features = 60, .classes = 2};
  const serial_engine alone{};
  const all_reduce_engine two{.workers = 2};
  const auto as_given = [](train_options&) {};
  const auto by_adagrad = [](train_options& o) { o.optimizer = optimizer_kind::adagrad; };
  const auto two_pass = [](train_options& o) { o.form = l2_form::two_pass; };
  const auto of_ftrl = [&](const std::function<void(train_options&)>& change) {
    return said(optimizer_kind::ftrl, change, logistic{}, alone);
  };
  EXPECT_THAT(said(optimizer_kind::sgd, by_adagrad, classes, alone), HasSubstr("l1 is for sgd alone"));
  EXPECT_THAT(said(optimizer_kind::sgd, by_adagrad, logistic{}, two), HasSubstr("one linear model under sgd"));
  EXPECT_THAT(said(optimizer_kind::sgd, as_given, classes, two), HasSubstr("one linear model under sgd"));
  EXPECT_THAT(said(optimizer_kind::sgd, two_pass, logistic{}, alone), HasSubstr("l2 in two passes"));
  EXPECT_THAT(said(optimizer_kind::adam, as_given, logistic{}, alone), HasSubstr("move all columns"));
  EXPECT_THAT(said(
                  optimizer_kind::sgd, [](train_options& o) { o.l1 = -1.0; }, logistic{}, alone),
              HasSubstr("l1 is -1: it takes a number of at least 0"));
  EXPECT_THAT(said(optimizer_kind::ftrl, as_given, logistic{}, two),
              HasSubstr("its weights are not linear in the sums"));
  EXPECT_THAT(of_ftrl([](train_options& o) { o.epochs = 2, o.step.warm_up = 1; }), HasSubstr("ftrl lowers its step"));
  EXPECT_THAT(of_ftrl([](train_options& o) { o.step.kind = schedule_kind::geometric; }),
              HasSubstr("ftrl lowers its step"));
  EXPECT_THAT(of_ftrl([](train_options& o) { o.initial = [](std::span<float>) {}; }),
              HasSubstr("leave out the warm start"));
  EXPECT_THAT(of_ftrl([](train_options& o) { o.constants.ftrl_beta = 0.0; }), HasSubstr("constants.ftrl_beta is"));
  EXPECT_THAT(said(
                  optimizer_kind::ftrl, [](train_options& o) { o.l1 = 0.0; }, classes, alone),
              HasSubstr("ftrl is for linear models"));
}

}  // namespace
}  // namespace hogwild
