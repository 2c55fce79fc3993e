// SPDX-License-Identifier: Apache-2.0
// Factorization machines side by side: each has the bits of the row kernels that run it alone, whatever the others
// hold, and nothing outside the rows and the parameters is read. Rows and parameters end where readable memory ends.
#include <hogwild/detail/kernels/lane_kernels.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/row_kernels.hpp>

#include "guarded.hpp"
#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t machine_lane_columns = 40;

/// The bits of a number; all NaNs have the same.
std::uint32_t machine_bits(float x) {
  return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x);
}

/// Parameters of so many models side by side, and by what a row changes them.
struct machine_models {
  std::size_t width, lanes;
  bool has_l2, adagrad;
  std::vector<float> w, sums, slope, step, fraction;

  machine_models(std::mt19937_64& random, std::size_t f, std::size_t k, bool l2, bool by_adagrad)
      : width(f), lanes(k), has_l2(l2), adagrad(by_adagrad) {
    w = random_numbers(random, (machine_lane_columns * (f + 1) + 1) * k);
    for (std::size_t j = 0; j < w.size(); j += 5) w[j] = -0.0f;
    sums = random_numbers(random, w.size());
    slope = random_numbers(random, k);
    step = random_numbers(random, k);
    fraction = random_numbers(random, machine_lane_columns * k);
    for (std::vector<float>* of : {&sums, &step, &fraction})
      for (float& x : *of) x = std::abs(x);
    if (!l2) fraction.assign(fraction.size(), 0.0f);
  }
  /// One model's values in `of`.
  std::vector<float> lane(const std::vector<float>& of, std::size_t k) const {
    std::vector<float> mine;
    for (std::size_t i = k; i < of.size(); i += lanes) mine.push_back(of[i]);
    return mine;
  }
  std::vector<float> l2() const {
    std::vector<float> all = fraction;
    for (std::size_t i = 0; i < all.size() && !adagrad; ++i) all[i] = 1.0f / (1.0f + step[i % lanes] * fraction[i]);
    return all;
  }
  /// The arrays of `n` models.
  machine_arrays arrays_in(float* of, std::size_t n) const {
    return {of, of + machine_lane_columns * width * n, of + machine_lane_columns * (width + 1) * n, width};
  }
};

template <class Kind>
struct machine_lanes_on : testing::Test {
  using index_type = typename Kind::index;
  using value_type = typename Kind::value;
  using batch_type = row_batch<index_type, value_type>;

  std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random{seed};

  /// Checks the scores of all rows, and the changes by the first one, for the kernels of all instruction sets. Models
  /// without a step must stay unchanged.
  static void expect_each_alone(const batch_type& rows, const machine_models& models) {
    const std::size_t lanes = models.lanes;
    batch_type first = rows;
    first.rows = 1;
    for (const isa set : instruction_sets_here()) {
      const auto& together = lane_kernels_of<index_type, value_type>(set);
      const auto& alone = row_kernels_of<machine_arrays, index_type, value_type>(set);
      guarded<float> w(models.w), sums(models.sums), out(std::vector<float>(rows.rows * lanes, 42.0f)), l2(models.l2()),
          slope(models.slope), step(models.step), room(std::vector<float>(2 * models.width * lanes));
      const machine_arrays to = models.arrays_in(w.data(), lanes);
      together.machine_scores(to, lanes, rows, room.data(), out.data());
      const std::vector<float> scored(out.data(), out.data() + rows.rows * lanes);
      together.machine_scores(to, lanes, first, room.data(), out.data());
      together.machine_changes(lanes, first,
                               {.to = to,
                                .sums = models.adagrad ? models.arrays_in(sums.data(), lanes) : machine_arrays{},
                                .room = room.data(),
                                .slope = slope.data(),
                                .step = step.data(),
                                .l2 = models.has_l2 ? l2.data() : nullptr});
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::string where = std::string(name_of(set)) + ", " + std::to_string(models.width) + " factors, " +
                                  std::to_string(lanes) + " lanes, lane " + std::to_string(k);
        std::vector<float> mine = models.lane(models.w, k), squares = models.lane(models.sums, k), scores(rows.rows),
                           its_room(models.width), fraction = models.lane(models.fraction, k);
        alone.scores(models.arrays_in(mine.data(), 1), rows, scores.data());
        for (std::size_t i = 0; i < rows.rows; ++i)
          ASSERT_EQ(machine_bits(scored[i * lanes + k]), machine_bits(scores[i])) << where << ", score " << i;
        row_update<machine_arrays> update{.to = models.arrays_in(mine.data(), 1),
                                          .step = models.step[k],
                                          .l2_of = models.has_l2 ? fraction.data() : nullptr,
                                          .room = its_room.data()};
        if (models.adagrad) update.sums = models.arrays_in(squares.data(), 1);
        std::pair<float, float> seen_and_given{0.0f, models.slope[k]};
        const score_response given{[](void* of, std::size_t, float* s) {
                                     auto& [seen, slope_of_row] = *static_cast<std::pair<float, float>*>(of);
                                     seen = *s, *s = slope_of_row;
                                     return true;
                                   },
                                   &seen_and_given};
        if (models.step[k] != 0.0f) (models.adagrad ? alone.adagrad : alone.sgd)(update, first, given);
        for (std::size_t j = 0; j < mine.size(); ++j) {
          ASSERT_EQ(machine_bits(w.data()[j * lanes + k]), machine_bits(mine[j])) << where << ", parameter " << j;
          ASSERT_EQ(machine_bits(sums.data()[j * lanes + k]), machine_bits(squares[j])) << where << ", sum " << j;
        }
      }
    }
  }
};
TYPED_TEST_SUITE(machine_lanes_on, all_row_kinds);

TYPED_TEST(machine_lanes_on, each_has_the_bits_that_it_has_alone) {
  using rows_type = random_rows<typename TestFixture::index_type, typename TestFixture::value_type>;
  SCOPED_TRACE("seed " + std::to_string(this->seed));
  for (const bool adagrad : {false, true}) {
    for (const std::size_t width : {4u, 8u, 16u, 24u, 40u}) {
      for (const std::size_t lanes : {8u, 16u, 32u}) {
        const rows_type rows(this->random, 1 + this->random() % 4, machine_lane_columns, machine_lane_columns,
                             this->random() % 9);
        const guarded<typename TestFixture::index_type> index(rows.index);
        const guarded<typename TestFixture::value_type> value(rows.value);
        auto batch = rows.batch;
        batch.index = index.data(), batch.value = value.data();
        machine_models models(this->random, width, lanes, this->random() % 2 == 0, adagrad);
        this->expect_each_alone(batch, models);
        models.step[3] = models.step[lanes - 1] = 0.0f;
        for (std::size_t j = 0; j < models.w.size(); j += lanes)
          models.w[j + 1] = NAN, models.w[j + 3] = INFINITY, models.w[j + 5] = -INFINITY;
        this->expect_each_alone(batch, models);
      }
    }
  }
}

// Halves are made floats in several parts of such a row.
TYPED_TEST(machine_lanes_on, and_so_it_has_on_rows_that_are_long) {
  using index = typename TestFixture::index_type;
  using value = typename TestFixture::value_type;
  SCOPED_TRACE("seed " + std::to_string(this->seed));
  std::vector<index> columns;
  std::vector<value> values;
  for (std::size_t e = 0; e < 1300; ++e) {
    columns.push_back(static_cast<index>(e % machine_lane_columns));  // the kernels do not mind
    const float x = std::ldexp(1.0f + static_cast<float>(this->random() % 64), -9);
    if constexpr (std::is_same_v<value, float>) values.push_back(x);
    if constexpr (std::is_same_v<value, half>) values.push_back(to_half(x));
  }
  row_batch<index, value> rows;
  rows.index = columns.data(), rows.value = values.data();
  rows.rows = 1;
  rows.begin = {3}, rows.end = {1290};
  for (const bool adagrad : {false, true}) {
    for (const std::size_t lanes : {8u, 16u, 32u}) {
      machine_models models(this->random, 8, lanes, true, adagrad);
      for (float& s : models.step) s *= 1e-3f;
      this->expect_each_alone(rows, models);
    }
  }
}

}  // namespace
