// SPDX-License-Identifier: Apache-2.0
// Margin models under momentum and adam: the owed steps of columns are made by the formulas of block_optimizer.hpp.
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr double mu = 0.9, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, step = 0.0625;

/// A margin model and its optimiser's state, in double or float.
template <class T>
struct remembered {
  std::vector<T> weights, first, second, steps;
  std::vector<std::uint32_t> settled;

  remembered(const std::vector<float>& from, std::uint32_t now)
      : weights(from.begin(), from.end()), first(from.size()), second(from.size()), steps(from.size()) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      first[j] = static_cast<T>(j % 3) / 8, second[j] = static_cast<T>(j % 3) / 16, steps[j] = static_cast<T>(j % 7);
      settled.push_back(j % 5 == 0 ? 0 : now - static_cast<std::uint32_t>(j % 5));
    }
  }
};

/// The formulas, one parameter after the other.
struct formulas {
  bool adam;
  remembered<double>& of;

  void settle(std::size_t j, double k) const {
    double &w = of.weights[j], &m = of.first[j], &v = of.second[j], &t = of.steps[j];
    if (!adam) {
      w -= step * mu * (1.0 - std::pow(mu, k)) / (1.0 - mu) * m;
      m *= std::pow(mu, k);
      return;
    }
    const double c = beta1 / std::sqrt(beta2), sum = c * (1.0 - std::pow(c, k)) / (1.0 - c);
    const double middle = t + std::min((k + 1.0) / 2.0, 1.0 / (1.0 - c));
    const double correction1 = 1.0 - std::pow(beta1, middle), correction2 = std::sqrt(1.0 - std::pow(beta2, middle));
    w -= step * sum * correction2 / correction1 * m / (std::sqrt(v) + epsilon * correction2);
    m *= std::pow(beta1, k), v *= std::pow(beta2, k), t += k;
  }
  void change(std::size_t j, double g) const {
    double &w = of.weights[j], &m = of.first[j], &v = of.second[j], &t = of.steps[j];
    if (!adam) {
      m = mu * m + g;
      w -= step * m;
      return;
    }
    t += 1.0;
    m += (1.0 - beta1) * (g - m), v += (1.0 - beta2) * (g * g - v);
    w -= step * (m / (1.0 - std::pow(beta1, t))) / (std::sqrt(v / (1.0 - std::pow(beta2, t))) + epsilon);
  }
};

fading_update update_of(remembered<float>& of, std::size_t columns, bool bias, std::uint32_t now) {
  return {.weights = of.weights.data(),
          .first = of.first.data(),
          .second = of.second.data(),
          .steps = of.steps.data(),
          .columns = columns,
          .bias = bias,
          .now = now,
          .settled = of.settled.data(),
          .step = static_cast<float>(step),
          .momentum = static_cast<float>(mu),
          .beta1 = static_cast<float>(beta1),
          .beta2 = static_cast<float>(beta2),
          .epsilon = static_cast<float>(epsilon),
          .least_square = static_cast<float>(least_square_of({.beta1 = beta1, .beta2 = beta2}))};
}

arrays_of_floats arrays_in(const remembered<float>& of) {
  return {of.weights, of.first, of.second, of.steps, {of.settled.begin(), of.settled.end()}};
}

template <class Kind>
class fading_kernels : public on_rows<Kind> {
 public:
  static auto kernels(bool adam, isa set) {
    const auto& all = kernels_of<typename Kind::index, typename Kind::value>(set);
    return adam ? all.adam : all.momentum;
  }
};
TYPED_TEST_SUITE(fading_kernels, all_row_types);

// In double, over one batch. A root is within 2.4e-5 of itself, and a step of adam at most some 10 / 16.
TYPED_TEST(fading_kernels, train_row_after_row_and_the_same_bits_everywhere) {
  for (std::size_t round = 0; round < 60; ++round) {
    const bool adam = round % 2 == 0, has_bias = round % 4 < 2, l2 = round % 3 == 0;
    const std::size_t columns = 5 + this->random() % 200;
    const auto now = static_cast<std::uint32_t>(20 + this->random() % 1000);
    const auto rows = this->some_rows(30, columns, round % 5);
    const auto before = random_numbers(this->random, columns + 1);
    auto own = random_sizes(this->random, columns);
    for (float& x : own) x /= 4;

    remembered<double> expected(before, now);
    const formulas by{adam, expected};
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      const auto at = now + static_cast<std::uint32_t>(i);
      double margin = has_bias ? expected.weights[columns] : 0.0;
      for (const auto& [j, x] : rows.entries(i)) {
        by.settle(j, at - expected.settled[j]);
        expected.settled[j] = at;
        margin += expected.weights[j] * x;
      }
      const double slope = slope_of_score(margin);
      for (const auto& [j, x] : rows.entries(i)) {
        if (slope == 0.0 && !l2) break;
        by.change(j, slope * x + (l2 ? static_cast<double>(own[j]) * expected.weights[j] : 0.0));
        expected.settled[j] = at + 1;
      }
      if (has_bias) by.change(columns, slope);
    }

    const auto found = same_everywhere([&](isa set) {
      remembered<float> of(before, now);
      fading_update u = update_of(of, columns, has_bias, now);
      u.l2_of = l2 ? own.data() : nullptr;
      this->kernels(adam, set).rows(u, rows.batch,
                                    {[](void*, std::size_t, float margin) { return slope_of_score(margin); }, nullptr});
      EXPECT_EQ(of.settled, expected.settled);
      return arrays_in(of);
    });
    expect_near(found[0], expected.weights, 1e-3);
    expect_near(found[1], expected.first, 1e-3);
    expect_near(found[3], expected.steps, 1e-3);
  }
}

TYPED_TEST(fading_kernels, settle_all_columns_and_leave_the_bias) {
  for (const bool adam : {false, true}) {
    for (const std::size_t columns : {0u, 1u, 8u, 77u}) {
      constexpr std::uint32_t now = 300;
      const auto before = random_numbers(this->random, columns + 1);
      remembered<double> expected(before, now);
      for (std::size_t j = 0; j < columns; ++j) formulas{adam, expected}.settle(j, now - expected.settled[j]);
      std::fill_n(expected.settled.begin(), columns, now);
      const auto found = same_everywhere([&](isa set) {
        remembered<float> of(before, now);
        this->kernels(adam, set).settle(update_of(of, columns, true, now));
        EXPECT_EQ(of.settled, expected.settled);
        return arrays_in(of);
      });
      for (std::size_t j = 0; j <= columns; ++j) {
        const double scale = std::abs(expected.weights[j] - static_cast<double>(before[j]));
        EXPECT_NEAR(static_cast<double>(found[0][j]), expected.weights[j], 1e-4 * scale + 1e-6);
        EXPECT_NEAR(static_cast<double>(found[1][j]), expected.first[j], 1e-6);
      }
    }
  }
}

// No row, empty rows, and state that is very small, very large or negative, as lost adds may leave it.
TYPED_TEST(fading_kernels, odd_rows_and_memories_leave_parameters_finite) {
  for (const bool adam : {false, true}) {
    for (const isa set : instruction_sets_here()) {
      const auto kernels = this->kernels(adam, set);
      const row_response one{[](void*, std::size_t, float) { return 1.0f; }, nullptr};
      remembered<float> of(std::vector<float>(17, 1.0f), 10);
      const auto before = arrays_in(of);
      kernels.rows(update_of(of, 16, false, 10), {}, one);
      const typename TestFixture::batch_type empty{.begin = {}, .end = {}, .rows = 2};
      kernels.rows(update_of(of, 16, false, 10), empty, one);
      EXPECT_EQ(arrays_in(of), before) << name_of(set);
      const float odd[] = {1e-42f, 1e-38f, 1e-20f, 1e12f, -1e-3f, 0.0f};
      for (std::size_t j = 0; j < 16; ++j) {
        of.settled[j] = j % 2 == 0 ? 10 : 0;
        of.first[j] = odd[j % 6], of.second[j] = odd[(j + 1) % 6], of.steps[j] = j == 4 ? -2.0f : 0.0f;
      }
      kernels.settle(update_of(of, 16, false, 1'000'000));
      for (std::size_t j = 0; j < 16; ++j) {
        EXPECT_TRUE(std::isfinite(of.weights[j])) << adam << " " << j;
        // The mean is at most 7.3 roots of the mean of squares, and the steps of all time at most 9.1 such, each
        // times 0.0625 and 1.5 for its corrections.
        if (adam) {
          EXPECT_LT(std::abs(of.weights[j] - 1.0f), 7.3 * 9.1 * 0.0625 * 1.5);
        }
        EXPECT_LT(std::abs(of.first[j]), 1e-20f) << "a million steps leave nothing of it";
      }
    }
  }
}

}  // namespace
