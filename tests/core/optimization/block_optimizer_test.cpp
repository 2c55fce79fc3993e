// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/optimization/block_optimizer.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

using namespace hogwild;

namespace {

using exact_view = param_view<double, update::exact>;
constexpr std::size_t n = 600, first = 5;  // several pieces, not aligned to a cache line
constexpr optimizer_constants constants{.momentum = 0.75, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.125};

/// An optimiser on plain arrays, and three steps of a run whose partials are known.
struct block_optimizer_of : testing::TestWithParam<optimizer_kind> {
  std::vector<double> w = std::vector<double>(first + n + 3, 1.0);
  std::array<std::vector<double>, 3> state{std::vector<double>(w.size()), std::vector<double>(w.size()),
                                           std::vector<double>(w.size())};

  static double partial(std::size_t step, std::size_t i) {
    return (i % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(step + 1) * (1.0 + static_cast<double>(i % 7));
  }
  block_optimizer<exact_view> optimizer(optimizer_kind kind) {
    return {kind,
            constants,
            exact_view(std::span(w)),
            {exact_view(std::span(state[0])), exact_view(std::span(state[1])), exact_view(std::span(state[2]))}};
  }
  void make_steps(const block_optimizer<exact_view>& o, double size) {
    std::vector<double> g(n);
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t i = 0; i < n; ++i) g[i] = partial(s, i);
      o.block(first, g, size);
    }
  }
};

/// The formulas of the header, one parameter at a time.
double expected(optimizer_kind kind, std::size_t i, double size) {
  double w = 1.0, a = 0.0, b = 0.0, row = 0.0;
  for (std::size_t s = 0; s < 3; ++s) {
    const double g = block_optimizer_of::partial(s, i), t = static_cast<double>(s + 1);
    switch (kind) {
      case optimizer_kind::ftrl:
      case optimizer_kind::sgd:
        w -= size * g;
        break;
      case optimizer_kind::adagrad:
        a += g * g;
        w -= size * g / std::sqrt(a + 1e-8);
        break;
      case optimizer_kind::momentum:
        a = constants.momentum * a + g;
        w -= size * a;
        break;
      case optimizer_kind::adam: {
        a = constants.beta1 * a + (1 - constants.beta1) * g;
        b = *constants.beta2 * b + (1 - *constants.beta2) * g * g;
        const double m = a / (1 - std::pow(constants.beta1, t)), v = b / (1 - std::pow(*constants.beta2, t));
        w -= size * m / (std::sqrt(v) + *constants.epsilon);
        break;
      }
      case optimizer_kind::lion: {
        const double c = constants.beta1 * a + (1 - constants.beta1) * g;
        w -= size * static_cast<double>((c > 0) - (c < 0));
        a = *constants.beta2 * a + (1 - *constants.beta2) * g;
        break;
      }
      case optimizer_kind::row_adagrad: {
        double squares = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = block_optimizer_of::partial(s, k);
          squares += x * x;
        }
        row += squares / static_cast<double>(n);
        w -= size * g / std::sqrt(row + 1e-8);
        break;
      }
    }
  }
  return w;
}

TEST_P(block_optimizer_of, runs_does_what_its_formula_says_and_touches_nothing_else) {
  make_steps(optimizer(GetParam()), 0.25);
  for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(w[first + i], expected(GetParam(), i, 0.25), 1e-12) << i;
  for (std::size_t j = 0; j < first; ++j) EXPECT_EQ(w[j], 1.0);
  for (std::size_t j = first + n; j < w.size(); ++j) EXPECT_EQ(w[j], 1.0);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (j < first || j >= first + n || k >= state_arrays_of(GetParam())) {
        ASSERT_EQ(state[k][j], 0.0) << k << " " << j;
      }
    }
  }
}

TEST_P(block_optimizer_of, single_parameters_says_where_it_started) {
  const auto o = optimizer(GetParam());
  const double before = w[3];
  EXPECT_EQ(o.step(3, 2.0, 0.5), before);
  EXPECT_LT(w[3], before);
  const double after = w[3];
  EXPECT_EQ(o.step(3, -2.0, 0.5), after);
}

/// The effect of 40 runs of zeros after 100 others, one by one and settled at once.
struct faded_run {
  using view = exact_view;
  std::array<std::vector<double>, 4> arrays{std::vector<double>(3, 1.0), std::vector<double>(3), std::vector<double>(3),
                                            std::vector<double>(3)};
  std::vector<double> before;

  faded_run(optimizer_kind kind, bool settled) {
    const block_optimizer<view> o(kind, {}, view(std::span(arrays[0])),
                                  {view(std::span(arrays[1])), view(std::span(arrays[2])), view(std::span(arrays[3]))});
    for (int s = 0; s < 100; ++s) o.block(0, std::array{1.0, -0.5 * s, s % 3 - 0.5}, 0.01);
    before = arrays[0];
    if (settled) o.settle(0, 3, 40, 0.01);
    for (int s = 0; s < 40 && !settled; ++s) o.block(0, std::array{0.0, 0.0, 0.0}, 0.01);
  }
};

TEST(settling, does_what_runs_of_zeros_would_do) {
  for (const optimizer_facts& of : optimizers) {
    const optimizer_kind kind = of.kind;
    const faded_run each(kind, false), once(kind, true);
    EXPECT_EQ(block_optimizer<exact_view>::fades(kind), !of.sums_up);
    if (of.sums_up) {
      EXPECT_EQ(once.arrays[0], once.before);
      continue;
    }
    // Adam's corrections change by 5 % over the ten steps that count; settling uses those of the middle one.
    const double within = kind == optimizer_kind::adam ? 0.005 : 1e-9;
    for (std::size_t i = 0; i < 3; ++i) {
      const double way = each.arrays[0][i] - each.before[i];
      EXPECT_GT(std::abs(way), 1e-3);
      EXPECT_NEAR(once.arrays[0][i] - once.before[i], way, within * std::abs(way)) << i;
      for (std::size_t k = 1; k < 4; ++k)
        EXPECT_NEAR(once.arrays[k][i], each.arrays[k][i], 1e-9 * std::abs(each.arrays[k][i])) << k;
    }
  }
}

TEST(settling, forgets_what_has_faded_instead_of_keeping_denormals) {
  std::vector<float> w(2, 0.0f), v{1.0f, -1.0f};
  using view = param_view<float>;
  const view kept{std::span(v)};
  const block_optimizer<view> o(optimizer_kind::momentum, {}, view(std::span(w)), {kept, kept, kept});
  for (int k = 0; k < 20; ++k) o.settle(0, 2, 50, 1.0f);
  EXPECT_EQ(v, (std::vector<float>{0.0f, 0.0f}));
  EXPECT_NEAR(w[0], -9.0f, 1e-4f);  // mu / (1 - mu)
  EXPECT_NEAR(w[1], 9.0f, 1e-4f);
}

// Whole vectors, the rest behind them and single numbers make the same steps.
TEST(adagrad, of_a_run_is_that_of_its_parameters_one_by_one) {
  using view = param_view<float>;
  for (std::size_t size = 1; size <= 19; ++size) {
    std::vector<float> w(size), sums(size), g(size), w_each(size), sums_each(size);
    for (std::size_t i = 0; i < size; ++i) g[i] = static_cast<float>(i % 5) - 1.75f;
    sums[size / 2] = sums_each[size / 2] = -7.0f;  // as lost adds may leave it
    const auto optimizer = [](std::vector<float>& to, std::vector<float>& state) {
      const view kept{std::span(state)};
      return block_optimizer<view>(optimizer_kind::adagrad, {}, view(std::span(to)), {kept, kept, kept});
    };
    for (int step = 0; step < 3; ++step) {
      optimizer(w, sums).block(0, g, 0.1f);
      for (std::size_t i = 0; i < size; ++i) optimizer(w_each, sums_each).step(i, g[i], 0.1f);
    }
    EXPECT_EQ(w, w_each) << size;
    EXPECT_EQ(sums, sums_each) << size;
  }
}

TEST(adam, survives_what_lost_and_repeated_adds_may_leave) {
  std::vector<float> w(4, 0.0f), m(4, 0.0f), v(4, -1.0f), steps(4, -3.0f);
  using view = param_view<float>;
  const block_optimizer<view> o(optimizer_kind::adam, {}, view(std::span(w)),
                                {view(std::span(m)), view(std::span(v)), view(std::span(steps))});
  const std::array<float, 4> g{1.0f, -1.0f, 0.0f, 1e-20f};
  for (int i = 0; i < 5; ++i) o.block(0, g, 0.01f);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(std::isfinite(w[i])) << i;
    EXPECT_GE(v[i], 0.0f) << i;
  }
}

// A worker that reads while another one adds may see a gradient in the first moment, and not in the second.
TEST(adam, makes_no_giant_step_where_half_of_a_gradient_is_seen) {
  using view = param_view<float>;
  for (const bool settled : {false, true}) {
    std::vector<float> w(2, 0.0f), m{0.1f, 0.1f}, v{0.0f, 1e-3f}, steps(2, 1.0f);
    const block_optimizer<view> o(optimizer_kind::adam, {}, view(std::span(w)),
                                  {view(std::span(m)), view(std::span(v)), view(std::span(steps))});
    for (int k = 0; k < 50; ++k) {
      if (settled)
        o.settle(0, 2, 1, 0.01f);
      else
        o.block(0, std::array{0.0f, 0.0f}, 0.01f);
    }
    EXPECT_LT(std::abs(w[0]), 10 * std::abs(w[1])) << settled;
    EXPECT_LT(std::abs(w[1]), 0.1f) << settled;
    EXPECT_GT(v[0], 0.0f) << settled;
  }
}

// The largest ratio of the mean to the root that partials can cause is 7.27; the steps at rest add up to 1 / (1 - b1 /
// sqrt(b2)) = 10.1 times it. A mean of squares that exchanges left below zero would make it 10^8.
TEST(adam, takes_no_mean_of_squares_for_less_than_its_mean_says) {
  EXPECT_NEAR(1.0 / std::sqrt(least_square_of({})), 7.27, 0.01);
  EXPECT_EQ(least_square_of({.beta1 = 0.9, .beta2 = 0.8}), 0.0);
  std::vector<float> w(2, 0.0f), m(2, 1.0f), v(2, -0.5f), steps(2, 1000.0f);
  v[1] = 1.0f;
  using view = param_view<float>;
  const block_optimizer<view> o(optimizer_kind::adam, {}, view(std::span(w)),
                                {view(std::span(m)), view(std::span(v)), view(std::span(steps))});
  o.settle(0, 2, 3, 1.0f);
  EXPECT_LT(std::abs(w[0]), 7.3f * 10.1f);
  const float settled = w[0];
  const std::array<float, 2> g{};
  o.block(0, g, 1.0f);
  EXPECT_LT(std::abs(w[0] - settled), 7.3f);
  EXPECT_LT(std::abs(w[1]), 4.0f) << "a mean of squares that is large enough counts as it is";
}

// 0.99^6874 is the first power below 1e-30.
TEST(lion, moves_until_its_mean_has_faded) {
  std::vector<float> w(4, 0.0f), m{1.0f, -1.0f, 0.0f, 1e-29f};
  using view = param_view<float>;
  const view kept{std::span(m)};
  const auto settled_by = [&](const optimizer_constants& by, std::size_t steps) {
    block_optimizer<view>(optimizer_kind::lion, by, view(std::span(w)), {kept, kept, kept}).settle(0, 4, steps, 1.0f);
  };
  settled_by({}, 1000);
  EXPECT_EQ(w, (std::vector<float>{-1000.0f, 1000.0f, 0.0f, -230.0f}));
  EXPECT_NEAR(m[0], std::pow(0.99f, 1000.0f), 1e-7f);
  settled_by({}, 9000);
  EXPECT_NEAR(w[0], -6874.0f, 2.0f);
  EXPECT_EQ(w[1], -w[0]);
  EXPECT_EQ(m, std::vector<float>(4, 0.0f));
  w.assign(4, 0.0f), m.assign(4, 1.0f);
  for (const std::size_t steps : {2000u, 3000u, 5000u}) settled_by({}, steps);
  EXPECT_NEAR(w[0], -6874.0f, 3.0f) << "however often its steps are made";
  w.assign(4, 0.0f), m.assign(4, 2.0f);
  settled_by({.beta2 = 0.0}, 10);
  EXPECT_EQ(w, std::vector<float>(4, -1.0f));
  w.assign(4, 0.0f), m.assign(4, 2.0f);
  settled_by({.beta1 = 0.0}, 10);
  EXPECT_EQ(w, std::vector<float>(4, 0.0f)) << "the mean has no part in its steps";
  EXPECT_NEAR(m[0], 2.0f * std::pow(0.99f, 10.0f), 1e-6f);
}

TEST(state_arrays_of, are_what_the_block_optimizer_reads) {
  EXPECT_EQ(state_arrays_of(optimizer_kind::sgd), 0u);
  EXPECT_EQ(state_arrays_of(optimizer_kind::adam), 3u);
  EXPECT_TRUE(sums_up(optimizer_kind::row_adagrad));
  EXPECT_FALSE(sums_up(optimizer_kind::momentum));
}

TEST(optimizer_facts, tell_how_gains_of_state_meet_and_how_far_a_partial_moves) {
  for (const optimizer_kind by : {optimizer_kind::sgd, optimizer_kind::momentum})
    EXPECT_TRUE(optimizer_facts_of(by).one_step);
  for (const optimizer_kind by : {optimizer_kind::adagrad, optimizer_kind::row_adagrad, optimizer_kind::adam,
                                  optimizer_kind::ftrl, optimizer_kind::lion})
    EXPECT_FALSE(optimizer_facts_of(by).one_step);
  EXPECT_EQ(beta2_of(optimizer_kind::adam, {}), 0.999);
  EXPECT_EQ(beta2_of(optimizer_kind::lion, {}), 0.99);
  EXPECT_EQ(beta2_of(optimizer_kind::adam, {.beta2 = 0.5}), 0.5);
  EXPECT_EQ(kept_of_state(optimizer_kind::adagrad, 4), 1.0);
  EXPECT_EQ(kept_of_state(optimizer_kind::adam, 4), 0.25);
  EXPECT_EQ(steps_of_partial(optimizer_kind::momentum, {.momentum = 0.75}), 4.0);
  EXPECT_EQ(steps_of_partial(optimizer_kind::adam, {.momentum = 0.75}), 1.0);
}

INSTANTIATE_TEST_SUITE_P(every, block_optimizer_of, testing::ValuesIn([] {
                           std::vector<optimizer_kind> all;
                           for (const optimizer_facts& of : optimizers) all.push_back(of.kind);
                           return all;
                         }()));

}  // namespace
