// SPDX-License-Identifier: Apache-2.0
// Models side by side: each has the bits of the kernels that run it alone, or with l1 of the step that takes single
// rows, whatever the others hold, and nothing outside the rows and the weights is read. Rows and weights end where
// readable memory ends.
#include <hogwild/detail/kernels/lane_kernels.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/detail/memory/param_view.hpp>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

template <class Kind>
class lane_kernels_on : public on_rows<Kind> {
 public:
  using index = typename Kind::index;
  using value = typename Kind::value;
  using batch_type = row_batch<index, value>;
  using on_rows<Kind>::random;

  /// Changes; some rows have none, and some models have none by a row.
  std::vector<float> some_changes(std::size_t rows, std::size_t lanes) {
    auto change = random_numbers(random, rows * lanes);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t kind = random() % 4;
      for (std::size_t k = 0; k < lanes; ++k)
        if (kind == 0 || (kind == 1 && random() % 2 == 0)) change[i * lanes + k] = k % 3 == 0 ? -0.0f : 0.0f;
    }
    return change;
  }

  /// Runs the kernels of all instruction sets on these arguments. No margin and no update may differ.
  static void expect_each_alone(const batch_type& rows, std::size_t lanes, const std::vector<float>& w,
                                const std::vector<float>& change) {
    for (const isa set : instruction_sets_here()) {
      const auto& kernels = lane_kernels_of<index, value>(set);
      const auto& alone = kernels_of<index, value>(set);
      const guarded<float> weights(w), changes(change), dots(std::vector<float>(rows.rows * lanes, 42.0f));
      kernels.dots(weights.data(), lanes, rows, dots.data());
      kernels.updates(weights.data(), lanes, rows, changes.data());
      for (std::size_t k = 0; k < lanes; ++k) {
        auto expected = model_of(w, lanes, k);
        std::vector<float> expected_dots(rows.rows);
        alone.dots(expected.data(), rows, expected_dots.data());
        alone.updates(expected.data(), rows, model_of(change, lanes, k).data());
        SCOPED_TRACE(std::string(name_of(set)) + ", lane " + std::to_string(k) + " of " + std::to_string(lanes));
        ASSERT_TRUE(same_numbers(model_of(dots.copy(), lanes, k), expected_dots)) << "dots";
        ASSERT_TRUE(same_numbers(model_of(weights.copy(), lanes, k), expected)) << "weights";
      }
    }
  }
};
TYPED_TEST_SUITE(lane_kernels_on, all_row_types);

/// Row i of a batch, in the form in which a step takes single rows.
template <class Index, class Value>
struct single_row {
  std::vector<std::uint32_t> index;
  std::vector<float> value;

  single_row(const row_batch<Index, Value>& rows, std::size_t i)
      : index(rows.columns_of(i), rows.columns_of(i) + (rows.end[i] - rows.begin[i])) {
    for (std::size_t k = rows.begin[i]; k < rows.end[i]; ++k) value.push_back(widened(rows.value[k]));
  }
  sparse_row<float> view() const {
    sparse_row<float> z;
    z.index = index, z.value = value;
    return z;
  }
};

/// Steps and strengths of l1 and l2 of some models; one stands still.
struct proximal_models {
  std::vector<float> step, step_l1, step_l2, part;
  bool of_each;

  proximal_models(std::mt19937_64& random, std::size_t lanes, std::size_t columns, bool has_l2, bool each)
      : of_each(each) {
    step = random_sizes(random, lanes), step_l1 = random_sizes(random, lanes);
    part = random_sizes(random, each ? columns * lanes : columns);
    if (has_l2) step_l2 = random_sizes(random, lanes), step_l2[1] = 0.0f;
    for (std::size_t k = 0; k < lanes; ++k) step_l1[k] *= 0.3f;
    step[3] = step_l1[3] = 0.0f;
    if (has_l2) step_l2[3] = 0.0f;
  }
  lane_proximal by(const float* slope) const {
    return {slope, step.data(), step_l1.data(), step_l2.empty() ? nullptr : step_l2.data(), part.data(), of_each};
  }
  /// The formula of margin_proximal_step.
  float moved(float w, float g, std::size_t j, std::size_t k) const {
    const std::size_t lanes = step.size();
    const float p = part[of_each ? j * lanes + k : j], l2 = step_l2.empty() ? 0.0f : step_l2[k];
    return soft_threshold(w - step[k] * g, step_l1[k] * p) / (1.0f + l2 * p);
  }
};

/// Rows that make proximal steps, through the kernels of all instruction sets.
template <class Index, class Value>
void expect_proximal(const row_batch<Index, Value>& rows, std::size_t lanes, const std::vector<float>& w,
                     const std::vector<float>& slope, const proximal_models& models) {
  const std::size_t columns = w.size() / lanes;
  std::vector<float> expected = w, dots(rows.rows * lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    std::vector<float> untouched = model_of(w, lanes, k), alone = untouched;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const single_row<Index, Value> row(rows, i);
      dots[i * lanes + k] = dot(param_view<float>(std::span(untouched)).reader(), row.view());
      for (const auto [j, x] : row.view()) {
        const float before = alone[j], after = models.moved(before, slope[i * lanes + k] * x, j, k);
        if (after != before) alone[j] += after - before;
      }
    }
    for (std::size_t j = 0; j < columns; ++j) expected[j * lanes + k] = alone[j];
  }
  for (const isa set : instruction_sets_here()) {
    const auto& kernels = lane_kernels_of<Index, Value>(set);
    const guarded<float> weights(w), slopes(slope), sums(std::vector<float>(rows.rows * lanes, 42.0f));
    kernels.row_dots(weights.data(), lanes, rows, sums.data());
    kernels.proximal(weights.data(), lanes, rows, models.by(slopes.data()));
    ASSERT_TRUE(same_numbers(sums.copy(), dots)) << name_of(set) << ", " << lanes << " lanes";
    ASSERT_TRUE(same_numbers(weights.copy(), expected)) << name_of(set) << ", " << lanes << " lanes";
  }
}

constexpr std::size_t lane_counts[] = {8, 16, 32};

TYPED_TEST(lane_kernels_on, each_has_the_bits_that_it_has_alone) {
  for (std::size_t round = 0; round < 30; ++round) {
    // The last rounds have rows whose values are decoded in several parts.
    const std::size_t most = round < 27 ? 1 + this->random() % 40 : 1500, columns = round < 27 ? 50 : 1500;
    const auto rows = this->some_rows(most, columns, round % 9);
    for (const std::size_t lanes : lane_counts) {
      auto w = random_numbers(this->random, columns * lanes);
      for (std::size_t j = 0; j < w.size(); j += 7) w[j] = -0.0f;
      this->expect_each_alone(rows.batch, lanes, w, this->some_changes(rows.batch.rows, lanes));
    }
  }
}

TYPED_TEST(lane_kernels_on, and_so_it_has_on_rows_that_have_all_columns) {
  for (const std::size_t columns : {1u, 7u, 8u, 20u, 100u, 700u}) {
    row_batch<typename TypeParam::index, typename TypeParam::value> rows;
    rows.rows = 1 + this->random() % batch_rows;
    rows.dense = true;
    std::vector<typename TypeParam::index> all(columns);
    std::iota(all.begin(), all.end(), typename TypeParam::index{0});
    std::vector<typename TypeParam::value> values;
    for (const float x : random_numbers(this->random, rows.rows * columns))
      values.push_back(narrowed<typename TypeParam::value>(x));
    for (std::size_t i = 0; i < rows.rows; ++i) rows.begin[i] = i * columns, rows.end[i] = (i + 1) * columns;
    const guarded_batch those(all, values, rows);
    for (const std::size_t lanes : lane_counts)
      this->expect_each_alone(those.batch, lanes, random_numbers(this->random, columns * lanes),
                              this->some_changes(rows.rows, lanes));
  }
}

TYPED_TEST(lane_kernels_on, those_without_numbers_leave_the_others_alone) {
  for (const std::size_t lanes : lane_counts) {
    constexpr std::size_t columns = 40;
    const typename TestFixture::rows_type rows(this->random, batch_rows, columns, columns, 0);
    auto w = random_numbers(this->random, columns * lanes);
    auto change = this->some_changes(batch_rows, lanes);
    for (std::size_t j = 0; j < columns; ++j) w[j * lanes + 2] = NAN, w[j * lanes + 5] = INFINITY;
    for (std::size_t i = 0; i < batch_rows; ++i) change[i * lanes + 1] = NAN, change[i * lanes + 4] = -INFINITY;
    this->expect_each_alone(rows.batch, lanes, w, change);
  }
}

// 0 times infinity would be NaN.
TYPED_TEST(lane_kernels_on, a_row_touches_no_lane_of_which_its_change_is_zero) {
  using column = typename TypeParam::index;
  using entry = typename TypeParam::value;
  const std::vector<column> columns{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<entry> values(9, narrowed<entry>(INFINITY));
  const row_batch<column, entry> rows{columns.data(), values.data(), {0, 0}, {9, 9}, 2};
  for (const std::size_t lanes : lane_counts) {
    for (const isa set : instruction_sets_here()) {
      const guarded<float> w(std::vector<float>(9 * lanes, 1.0f));
      std::vector<float> change(2 * lanes, 0.0f);
      change[lanes + 3] = 1.0f;
      lane_kernels_of<column, entry>(set).updates(w.data(), lanes, rows, change.data());
      for (std::size_t k = 0; k < lanes; ++k)
        EXPECT_EQ(model_of(w.copy(), lanes, k), std::vector<float>(9, k == 3 ? INFINITY : 1.0f))
            << name_of(set) << ", lane " << k;
    }
  }
}

TYPED_TEST(lane_kernels_on, each_makes_the_proximal_steps_that_it_makes_alone) {
  for (std::size_t round = 0; round < 24; ++round) {
    const std::size_t most = round < 21 ? 1 + this->random() % 40 : 1500, columns = round < 21 ? 50 : 1500;
    const auto rows = this->some_rows(most, columns, round % 9);
    for (const std::size_t lanes : lane_counts) {
      auto w = random_numbers(this->random, columns * lanes);
      for (std::size_t j = 0; j < w.size(); j += 7) w[j] = j % 2 == 0 ? 0.0f : -0.0f;
      if (round % 3 == 0)
        for (std::size_t j = 0; j < columns; ++j) w[j * lanes + 2] = NAN, w[j * lanes + 5] = INFINITY;
      const proximal_models models(this->random, lanes, columns, round % 2 == 0, round % 4 < 2);
      expect_proximal(rows.batch, lanes, w, this->some_changes(rows.batch.rows, lanes), models);
    }
  }
}

TYPED_TEST(lane_kernels_on, no_rows) {
  for (const std::size_t lanes : lane_counts) this->expect_each_alone({}, lanes, std::vector<float>(lanes, 1.0f), {});
}

}  // namespace
