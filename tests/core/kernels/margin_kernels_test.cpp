// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/margin_kernels.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

template <class Kind>
class margin_kernels_of : public testing::Test {
 public:
  using index_type = typename Kind::index;
  using value_type = typename Kind::value;
  using rows_type = random_rows<index_type, value_type>;

  static const margin_kernels<index_type, value_type>& kernels(isa set) {
    return kernels_of<index_type, value_type>(set);
  }

  std::mt19937_64 random{11};
};
using kinds = testing::Types<row_kind<std::uint32_t, float>, row_kind<std::uint32_t, half>,
                             row_kind<std::uint16_t, float>, row_kind<std::uint16_t, half>>;
TYPED_TEST_SUITE(margin_kernels_of, kinds);

using answers = std::array<float, batch_rows + 1>;  // one more, which nothing may write
constexpr float untouched = 42.0f;

bool same_bits(const auto& a, const auto& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// A sum of n products, rounded in any order, is within n u / (1 - n u) of sum |w x|, where u = 2^-24 (Higham, Accuracy
// and Stability, 3.5); with n <= 300 that is below 1.0001 n u.
TYPED_TEST(margin_kernels_of, dots_are_right_and_the_same_bits_everywhere) {
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t most = round % 2 == 0 ? 300 : 20;
    const typename TestFixture::rows_type rows(this->random, 1 + this->random() % batch_rows, most, 2000, round % 9);
    const auto w = random_numbers(this->random, 2000);
    answers first{};
    for (const isa set : instruction_sets_here()) {
      answers out;
      out.fill(untouched);
      this->kernels(set).dots(w.data(), rows.batch, out.data());
      for (std::size_t i = 0; i < rows.batch.rows; ++i) {
        double exact = 0, sum_of_sizes = 0;
        for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
          const double product = static_cast<double>(w[rows.index[k]]) * static_cast<double>(widened(rows.value[k]));
          exact += product;
          sum_of_sizes += std::abs(product);
        }
        const auto n = static_cast<double>(rows.batch.end[i] - rows.batch.begin[i]);
        EXPECT_LE(std::abs(static_cast<double>(out[i]) - exact), 1.0001 * n * 0x1p-24 * sum_of_sizes) << name_of(set);
      }
      for (std::size_t i = rows.batch.rows; i < out.size(); ++i) EXPECT_EQ(out[i], untouched) << name_of(set);
      if (set == isa::scalar) first = out;
      EXPECT_TRUE(same_bits(out, first)) << name_of(set);
    }
  }
}

// Few columns, so that rows of a batch share many; product and sum are rounded one after the other, in row order.
TYPED_TEST(margin_kernels_of, updates_are_exactly_row_after_row) {
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = round % 2 == 0 ? 400 : 30;
    const typename TestFixture::rows_type rows(this->random, 1 + this->random() % batch_rows, 300, columns, round % 9);
    const auto before = random_numbers(this->random, columns);
    auto change = random_numbers(this->random, batch_rows);
    change[this->random() % batch_rows] = 0.0f;
    auto expected = before;
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
        const volatile float product = change[i] * widened(rows.value[k]);  // volatile: not fused with the sum
        expected[rows.index[k]] += product;
      }
    }
    for (const isa set : instruction_sets_here()) {
      auto w = before;
      this->kernels(set).updates(w.data(), rows.batch, change.data());
      EXPECT_TRUE(same_bits(w, expected)) << name_of(set);
    }
  }
}

TYPED_TEST(margin_kernels_of, a_row_of_change_zero_is_skipped) {
  using value = typename TestFixture::value_type;
  using index = typename TestFixture::index_type;
  const std::vector<index> columns{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<value> values(9, value(std::is_same_v<value, float> ? value(INFINITY) : value(0x7c00)));
  for (const isa set : instruction_sets_here()) {
    std::vector<float> w(9, 1.0f);
    const float no_change = 0.0f;
    const row_batch<index, value> one{columns.data(), values.data(), {0}, {9}, 1};
    this->kernels(set).updates(w.data(), one, &no_change);
    EXPECT_EQ(w, std::vector<float>(9, 1.0f)) << name_of(set);  // 0 times infinity would be NaN
  }
}

TYPED_TEST(margin_kernels_of, no_rows) {
  for (const isa set : instruction_sets_here()) {
    float w = 1.0f, out = untouched;
    const row_batch<typename TestFixture::index_type, typename TestFixture::value_type> none;
    const row_response never{[](void*, std::size_t, float) -> float {
                               ADD_FAILURE();
                               return 1.0f;
                             },
                             nullptr};
    this->kernels(set).dots(&w, none, &out);
    this->kernels(set).updates(&w, none, &out);
    this->kernels(set).steps(&w, 1, none, never);
    EXPECT_EQ(w, 1.0f);
    EXPECT_EQ(out, untouched);
  }
}

/// Answers a dot with a change, and records the arguments.
struct listener {
  std::vector<float> dots;
  std::vector<std::size_t> rows;

  row_response response() {
    return {[](void* self, std::size_t row, float dot) { return static_cast<listener*>(self)->answer(row, dot); },
            this};
  }
  float answer(std::size_t row, float dot) {
    rows.push_back(row);
    dots.push_back(dot);
    return change_for(dot);
  }
  static float change_for(float dot) { return dot > 1.0f ? 0.0f : 0.125f * (1.0f - dot); }
};

// Against the same steps in double, over one batch: the dots have up to 128 products, and a step passes on an eighth of
// their error, times the overlap of two rows, to the rows after it. Rows are scaled so that overlaps stay below 2.
TYPED_TEST(margin_kernels_of, steps_train_row_after_row_and_the_same_bits_everywhere) {
  using value = typename TestFixture::value_type;
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = 1 + this->random() % register_columns;
    typename TestFixture::rows_type rows(this->random, 1 + this->random() % batch_rows, columns, columns, round % 5);
    for (value& x : rows.value) {
      const float scaled = widened(x) / std::sqrt(static_cast<float>(columns));
      if constexpr (std::is_same_v<value, float>) x = scaled;
      if constexpr (std::is_same_v<value, half>) x = to_half(scaled);
    }
    auto before = random_numbers(this->random, columns + 1);
    before[columns] = untouched;

    std::vector<double> expected(before.begin(), before.end());
    std::vector<double> expected_dots;
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      double dot = 0;
      for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
        dot += expected[rows.index[k]] * static_cast<double>(widened(rows.value[k]));
      }
      expected_dots.push_back(dot);
      const double change = dot > 1.0 ? 0.0 : 0.125 * (1.0 - dot);
      for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
        expected[rows.index[k]] += change * static_cast<double>(widened(rows.value[k]));
      }
    }

    std::vector<float> first, first_dots;
    for (const isa set : instruction_sets_here()) {
      auto w = before;
      listener heard;
      this->kernels(set).steps(w.data(), columns, rows.batch, heard.response());
      ASSERT_EQ(heard.rows.size(), rows.batch.rows);
      for (std::size_t i = 0; i < rows.batch.rows; ++i) {
        EXPECT_EQ(heard.rows[i], i);
        EXPECT_NEAR(static_cast<double>(heard.dots[i]), expected_dots[i], 1e-4) << name_of(set);
      }
      for (std::size_t j = 0; j < columns; ++j) {
        EXPECT_NEAR(static_cast<double>(w[j]), expected[j], 1e-4) << name_of(set);
      }
      EXPECT_EQ(w[columns], untouched);
      if (set == isa::scalar) {
        first = w;
        first_dots = heard.dots;
      }
      EXPECT_TRUE(same_bits(w, first)) << name_of(set);
      EXPECT_TRUE(same_bits(heard.dots, first_dots)) << name_of(set);
    }
  }
}

// In double, over one batch: weights stay below some 4, of steps of at most 1/16 each, in single precision.
TYPED_TEST(margin_kernels_of, adagrad_trains_row_after_row_and_the_same_bits_everywhere) {
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = 5 + this->random() % 200;
    const bool has_bias = round % 2 == 0;
    const int l2 = static_cast<int>(round % 3);  // none, the same of all columns, of each its own
    const typename TestFixture::rows_type rows(this->random, 1 + this->random() % batch_rows, 30, columns, round % 5);
    const auto before = random_numbers(this->random, columns + 1);
    auto own = random_numbers(this->random, columns);
    for (float& x : own) x = l2 == 0 ? 0.0f : l2 == 1 ? 0.25f : std::abs(x);

    std::vector<double> w(before.begin(), before.end()), sums(columns + 1, 0.5);
    const auto change = [&](std::size_t j, double g) {
      sums[j] += g * g;
      w[j] -= 0.0625 * g / std::sqrt(sums[j] + 1e-8);
    };
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      double margin = has_bias ? w[columns] : 0.0;
      for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k)
        margin += w[rows.index[k]] * static_cast<double>(widened(rows.value[k]));
      const double slope = margin > 1.0 ? 0.0 : 0.125 * (margin - 1.0);
      for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
        const std::size_t j = rows.index[k];
        change(j, slope * static_cast<double>(widened(rows.value[k])) + static_cast<double>(own[j]) * w[j]);
      }
      if (has_bias) change(columns, slope);
    }

    std::vector<float> first, first_sums;
    for (const isa set : instruction_sets_here()) {
      std::vector<float> found = before, kept(columns + 1, 0.5f);
      const auto arrays = [&](std::vector<float>& of) {
        return margin_arrays{of.data(), has_bias ? of.data() + columns : nullptr};
      };
      const row_update<margin_arrays> update{.to = arrays(found),
                                             .sums = arrays(kept),
                                             .step = 0.0625f,
                                             .l2 = l2 == 1 ? 0.25f : 0.0f,
                                             .l2_of = l2 == 2 ? own.data() : nullptr};
      const row_response slope{
          [](void*, std::size_t, float margin) { return margin > 1.0f ? 0.0f : 0.125f * (margin - 1.0f); }, nullptr};
      this->kernels(set).adagrad(update, rows.batch, slope);
      for (std::size_t j = 0; j <= columns; ++j)
        ASSERT_NEAR(static_cast<double>(found[j]), w[j], 1e-3) << name_of(set) << ", l2 " << l2 << ", column " << j;
      if (set == isa::scalar) first = found, first_sums = kept;
      EXPECT_TRUE(same_bits(found, first)) << name_of(set);
      EXPECT_TRUE(same_bits(kept, first_sums)) << name_of(set);
    }
  }
}

TEST(margin_kernels, every_half_is_decoded_exactly) {
  std::vector<std::uint32_t> columns(0x10000);
  std::vector<half> values(columns.size());
  for (std::uint32_t h = 0; h < columns.size(); ++h) {
    columns[h] = h;
    values[h] = static_cast<half>(h);
  }
  const float one = 1.0f;
  for (const isa set : instruction_sets_here()) {
    for (const std::size_t tail : {0u, 5u}) {  // as a whole, and ending where no eight is filled
      std::vector<float> w(columns.size(), -0.0f);
      const row_batch<std::uint32_t, half> all{columns.data(), values.data(), {0}, {columns.size() - tail}, 1};
      kernels_of<std::uint32_t, half>(set).updates(w.data(), all, &one);
      for (std::uint32_t h = 0; h < columns.size() - tail; ++h) {
        const float expected = to_float(values[h]);
        ASSERT_TRUE(std::isnan(expected) ? std::isnan(w[h]) : w[h] == expected) << name_of(set) << " " << h;
      }
    }
  }
}

}  // namespace
