// SPDX-License-Identifier: Apache-2.0
// Models of several classes side by side: each has the bits of the row kernels that run it alone, whatever the others
// hold, and nothing outside the rows and the weights is read. Rows and weights end where readable memory ends.
#include <hogwild/detail/kernels/lane_kernels.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/row_kernels.hpp>

#include "guarded.hpp"
#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t lane_columns = 40;

/// The bits of a number; all NaNs have the same.
std::uint32_t number_bits(float x) {
  return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x);
}

/// Parameters of so many models side by side, and by what a row changes them.
struct class_models {
  std::size_t classes, lanes;
  bool has_bias, has_l2;
  std::vector<float> w, slope, step, fraction;

  class_models(std::mt19937_64& random, std::size_t c, std::size_t k, bool bias, bool l2)
      : classes(c), lanes(k), has_bias(bias), has_l2(l2) {
    w = random_numbers(random, (lane_columns + (bias ? 1 : 0)) * c * k);
    for (std::size_t j = 0; j < w.size(); j += 5) w[j] = -0.0f;
    slope = random_numbers(random, c * k);
    step = random_numbers(random, k);
    fraction = random_numbers(random, lane_columns * k);
    for (float& x : step) x = std::abs(x);
    for (float& x : fraction) x = l2 ? std::abs(x) : 0.0f;
  }
  /// One model's values in `of`.
  std::vector<float> lane(const std::vector<float>& of, std::size_t k) const {
    std::vector<float> mine;
    for (std::size_t i = k; i < of.size(); i += lanes) mine.push_back(of[i]);
    return mine;
  }
  const float* bias_in(const float* weights) const {
    return has_bias ? weights + lane_columns * classes * lanes : nullptr;
  }
  std::vector<float> left() const {
    std::vector<float> all(fraction.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 1.0f / (1.0f + step[i % lanes] * fraction[i]);
    return all;
  }
};

class_arrays arrays_of(std::vector<float>& w, const class_models& of) {
  return {w.data(), of.has_bias ? w.data() + lane_columns * of.classes : nullptr, of.classes};
}

template <class Kind>
struct class_lanes_on : testing::Test {
  using index_type = typename Kind::index;
  using value_type = typename Kind::value;
  using batch_type = row_batch<index_type, value_type>;

  std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};

  /// Checks the scores of all rows, and the changes by the first one, for the kernels of all instruction sets. Models
  /// without a step must stay unchanged.
  static void expect_each_alone(const batch_type& rows, const class_models& models) {
    const std::size_t n = models.classes * models.lanes;
    batch_type first = rows;
    first.rows = 1;
    for (const isa set : instruction_sets_here()) {
      const auto& together = lane_kernels_of<index_type, value_type>(set);
      const auto& alone = row_kernels_of<class_arrays, index_type, value_type>(set);
      const guarded<float> w(models.w), out(std::vector<float>(rows.rows * n, 42.0f)), left(models.left()),
          slope(models.slope), step(models.step);
      together.scores(w.data(), models.bias_in(w.data()), n, rows, out.data());
      together.class_changes(w.data(), models.lanes, first,
                             {slope.data(), step.data(), models.has_l2 ? left.data() : nullptr, models.classes});
      for (std::size_t k = 0; k < models.lanes; ++k) {
        std::vector<float> mine = models.lane(models.w, k), scores(rows.rows * models.classes), room(models.classes),
                           slopes = models.lane(models.slope, k), fraction = models.lane(models.fraction, k);
        alone.scores(arrays_of(mine, models), rows, scores.data());
        for (std::size_t i = 0; i < scores.size(); ++i)
          ASSERT_EQ(number_bits(out.data()[i * models.lanes + k]), number_bits(scores[i]))
              << name_of(set) << ", " << models.classes << " classes, " << models.lanes << " lanes: score " << i
              << ", lane " << k;
        const row_update<class_arrays> update{.to = arrays_of(mine, models),
                                              .step = models.step[k],
                                              .l2_of = models.has_l2 ? fraction.data() : nullptr,
                                              .biases = false,
                                              .room = room.data()};
        const score_response given{[](void* from, std::size_t, float* s) {
                                     const auto& these = *static_cast<std::vector<float>*>(from);
                                     std::copy(these.begin(), these.end(), s);
                                     return true;
                                   },
                                   &slopes};
        if (models.step[k] != 0.0f) alone.sgd(update, first, given);
        for (std::size_t j = 0; j < mine.size(); ++j)
          ASSERT_EQ(number_bits(w.data()[j * models.lanes + k]), number_bits(mine[j]))
              << name_of(set) << ", " << models.classes << " classes, " << models.lanes << " lanes: weight " << j
              << ", lane " << k;
      }
    }
  }
};
TYPED_TEST_SUITE(class_lanes_on, all_row_kinds);

TYPED_TEST(class_lanes_on, each_has_the_bits_that_it_has_alone) {
  using rows_type = random_rows<typename TestFixture::index_type, typename TestFixture::value_type>;
  SCOPED_TRACE("seed " + std::to_string(this->seed));
  for (const std::size_t classes : {2u, 3u, 7u, 8u, 10u, 13u, 20u, 33u}) {
    for (const std::size_t lanes : {8u, 16u, 32u}) {
      const rows_type rows(this->random, 1 + this->random() % 4, lane_columns, lane_columns, classes % 9);
      const guarded<typename TestFixture::index_type> index(rows.index);
      const guarded<typename TestFixture::value_type> value(rows.value);
      auto batch = rows.batch;
      batch.index = index.data(), batch.value = value.data();
      class_models models(this->random, classes, lanes, classes % 2 == 0, this->random() % 2 == 0);
      this->expect_each_alone(batch, models);
      models.step[3] = models.step[lanes - 1] = 0.0f;
      for (std::size_t j = 0; j < models.w.size(); j += lanes)
        models.w[j + 1] = NAN, models.w[j + 3] = INFINITY, models.w[j + 5] = -INFINITY;
      this->expect_each_alone(batch, models);
    }
  }
}

// Halves are made floats in several parts of such a row.
TYPED_TEST(class_lanes_on, and_so_it_has_on_rows_that_are_long) {
  using index = typename TestFixture::index_type;
  using value = typename TestFixture::value_type;
  SCOPED_TRACE("seed " + std::to_string(this->seed));
  std::vector<index> columns;
  std::vector<value> values;
  for (const float x : random_numbers(this->random, 1300)) {
    columns.push_back(static_cast<index>(columns.size() % lane_columns));  // the kernels do not mind
    if constexpr (std::is_same_v<value, float>) values.push_back(x);
    if constexpr (std::is_same_v<value, half>) values.push_back(to_half(x));
  }
  row_batch<index, value> rows;
  rows.index = columns.data(), rows.value = values.data();
  rows.rows = 2;
  rows.begin = {3, 1290}, rows.end = {1290, 1300};
  for (const std::size_t lanes : {8u, 16u, 32u}) {
    class_models models(this->random, 5, lanes, false, true);
    for (float& s : models.step) s *= 0.01f;
    this->expect_each_alone(rows, models);
  }
}

}  // namespace
