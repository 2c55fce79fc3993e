// SPDX-License-Identifier: Apache-2.0
// Steps by kernels on factors that are halves: the random rounding of a row is a function of seed, epoch, row and
// place.
#include <hogwild/detail/loop/field_step.hpp>
#include <hogwild/detail/loop/row_kernel_step.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/sharing/half_parameters.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/formats/libffm.hpp>
#include <hogwild/models/factorization_machine.hpp>
#include <hogwild/models/ffm.hpp>

#include "support/toy_data.hpp"

namespace hogwild {
namespace {

struct half_step_arrays final : private_arrays<float> {
  explicit half_step_arrays(std::vector<float>& parameters) : private_arrays<float>(nullptr) { values_ = {parameters}; }
  void begin_round(const round_plan&) override {}
};

constexpr std::size_t alike_rows = 2048, alike_columns = 6;

/// The same row 2048 times, distinguished only by its number. Steps lower a factor that is half_began by some tenth of
/// half_apart, the distance of the next half.
test::toy_rows rows_alike() {
  test::toy_rows rows;
  rows.columns = alike_columns;
  std::vector<std::uint32_t> all(alike_columns);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t r = 0; r < alike_rows; ++r) rows.push(all, std::vector<float>(alike_columns, 0.4f), -1.0f);
  return rows;
}
const float half_began = to_float(to_half(0.3f));
constexpr double half_apart = 0x1p-12;

struct fm_half_steps {
  static constexpr double step = 1.2e-4;
  factorization_machine model{.features = alike_columns, .factors = 8};
  template <class Factor>
  using step_on = row_kernel_step<factorization_machine, private_sharing<float>, Factor, std::uint32_t, float>;
};
/// Each column is a field.
struct field_half_steps {
  static constexpr double step = 8e-4;
  ffm model{.features = alike_columns, .fields = alike_columns, .factors = 4};
  template <class Factor>
  using step_on = field_step<ffm, private_sharing<float>, Factor>;
};

/// When a row is trained.
struct row_moment {
  std::uint64_t seed = 1, pass = 1;
  std::size_t row = 0;
};

template <class Steps>
struct half_steps : testing::Test {
  test::kept_rows csr = rows_alike();
  std::vector<std::uint32_t> original = [] {
    std::vector<std::uint32_t> of;
    for (std::uint32_t j = 0; j < alike_columns; ++j) of.push_back(field_column(j, j));
    return of;
  }();
  Steps steps;
  const std::size_t factors = steps.model.dim() - alike_columns - 1;

  /// The factors after those rows, all of one batch or each of one.
  template <class Factor>
  std::vector<float> trained(row_moment at, const std::vector<std::size_t>& rows, bool together = true) const {
    std::vector<float> parameters(steps.model.dim());
    const std::span<half> halves = halves_in(parameters, 0, factors);
    if constexpr (std::same_as<Factor, half>)
      std::ranges::fill(halves, to_half(half_began));
    else
      std::fill_n(parameters.begin(), factors, half_began);
    half_step_arrays arrays(parameters);
    sparse_view data = csr.view();
    data.original = original;
    const label_map labels;
    const loop_options options{.seed = at.seed};
    typename Steps::template step_on<Factor> step(private_sharing<float>(arrays), steps.model,
                                                  {labels, {}, alike_rows, options}, data);
    step.begin({.pass = at.pass, .step = Steps::step, .step_end = Steps::step}, 0.0);
    if (together) step.train_batch(rows);
    for (std::size_t i = 0; i < rows.size() && !together; ++i) step.train_batch(std::span(rows).subspan(i, 1));
    std::vector<float> found(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(factors));
    if constexpr (std::same_as<Factor, half>) std::ranges::transform(halves, found.begin(), to_float);
    return found;
  }
  std::vector<float> trained(row_moment at) const { return trained<half>(at, {at.row}); }

  /// Over `alike_rows` moments the mean of each factor is that of floats.
  void expect_means(const std::function<row_moment(std::size_t)>& moment) const {
    std::vector<double> mean(factors);
    for (std::size_t i = 0; i < alike_rows; ++i) {
      const std::vector<float> found = trained(moment(i));
      for (std::size_t k = 0; k < factors; ++k) mean[k] += static_cast<double>(found[k]) / alike_rows;
    }
    const std::vector<float> exact = trained<float>({}, {0});
    std::size_t moved = 0;
    for (std::size_t k = 0; k < factors; ++k) {
      const double gone = static_cast<double>(half_began - exact[k]) / half_apart;
      moved += gone > 0.1 && gone < 0.2;
      ASSERT_NEAR(mean[k], static_cast<double>(exact[k]), 0.08 * half_apart) << k;
    }
    EXPECT_GT(moved, factors / 2);
  }
};
using half_step_cases = testing::Types<fm_half_steps, field_half_steps>;
TYPED_TEST_SUITE(half_steps, half_step_cases);

// Were each of 2048 numbers drawn, a factor's mean would be off by more than 0.08 of the distance with a probability of
// 2 exp(-2 * 2048 * 0.08^2) < 1e-11 (Hoeffding): of three times 192 factors below 1e-8. A number that is the same for
// all of them leaves a factor where it was or takes it a whole distance: off by 0.1 at least.
TYPED_TEST(half_steps, count_on_average_over_epochs) {
  this->expect_means([](std::size_t i) { return row_moment{.pass = i}; });
}
TYPED_TEST(half_steps, count_on_average_over_seeds) {
  this->expect_means([](std::size_t i) { return row_moment{.seed = i}; });
}
TYPED_TEST(half_steps, count_on_average_over_rows) {
  this->expect_means([](std::size_t i) { return row_moment{.row = i}; });
}

// The golden ratio's multiples leave no gap of a tenth among 48 places, and crowd nowhere.
TYPED_TEST(half_steps, round_one_place_up_and_another_down) {
  const auto down = std::ranges::count(this->trained({}), half_began - static_cast<float>(half_apart));
  EXPECT_GT(down, 0);
  EXPECT_LT(down, this->factors * 2 / 5);
}

TYPED_TEST(half_steps, do_not_depend_on_batches) {
  const std::vector<std::size_t> rows{3, 4, 5};
  EXPECT_EQ(this->template trained<half>({}, rows, true), this->template trained<half>({}, rows, false));
}

}  // namespace
}  // namespace hogwild
