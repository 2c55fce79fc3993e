// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/margin_kernels.hpp>

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

template <class Kind>
class margin_kernels_of : public on_rows<Kind> {
 public:
  static const auto& kernels(isa set) { return kernels_of<typename Kind::index, typename Kind::value>(set); }
};
TYPED_TEST_SUITE(margin_kernels_of, all_row_types);

constexpr float untouched = 42.0f;

TYPED_TEST(margin_kernels_of, dots_are_right_and_the_same_bits_everywhere) {
  for (std::size_t round = 0; round < 60; ++round) {
    const auto rows = this->some_rows(round % 2 == 0 ? 300 : 20, 2000, round % 9);
    const guarded<float> w(random_numbers(this->random, 2000));
    const auto found = same_everywhere([&](isa set) {
      std::vector<float> out(batch_rows + 1, untouched);
      this->kernels(set).dots(w.data(), rows.batch, out.data());
      return arrays_of_floats{out};
    });
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      exact_sum dot;
      for (const auto& [j, x] : rows.entries(i)) dot.add(static_cast<double>(w.data()[j]) * x);
      expect_near(found[0][i], dot);
    }
    for (std::size_t i = rows.batch.rows; i <= batch_rows; ++i) EXPECT_EQ(found[0][i], untouched);
  }
}

// Few columns, so that rows of a batch share many; product and sum are rounded one after the other, in row order.
TYPED_TEST(margin_kernels_of, updates_are_exactly_row_after_row) {
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = round % 2 == 0 ? 400 : 30;
    const auto rows = this->some_rows(300, columns, round % 9);
    const auto before = random_numbers(this->random, columns);
    auto change = random_numbers(this->random, rows.batch.rows);
    change[this->random() % rows.batch.rows] = 0.0f;
    auto expected = before;
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      for (const auto& [j, x] : rows.entries(i)) {
        const volatile float product = change[i] * static_cast<float>(x);  // volatile: not fused with the sum
        expected[j] += product;
      }
    }
    const guarded<float> changes(change);
    const auto found = same_everywhere([&](isa set) {
      const guarded<float> w(before);
      this->kernels(set).updates(w.data(), rows.batch, changes.data());
      return arrays_of_floats{w.copy()};
    });
    EXPECT_TRUE(same_bits(found[0], expected));
  }
}

TYPED_TEST(margin_kernels_of, a_row_of_change_zero_is_skipped) {
  using value = typename TestFixture::value_type;
  using index = typename TestFixture::index_type;
  const std::vector<index> columns{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<value> values(9, narrowed<value>(INFINITY));
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
    const typename TestFixture::batch_type none;
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

constexpr float margin_change(float dot) {
  return -0.5f * slope_of_score(dot);
}

/// Answers a dot with a change, and records the arguments.
struct listener {
  std::vector<float> dots{};
  std::vector<std::size_t> rows{};

  row_response response() {
    return {[](void* self, std::size_t row, float dot) {
              auto& heard = *static_cast<listener*>(self);
              heard.rows.push_back(row);
              heard.dots.push_back(dot);
              return margin_change(dot);
            },
            this};
  }
};

// Against the same steps in double, over one batch: the dots have up to 128 products, and a step passes on an eighth of
// their error, times the overlap of two rows, to the rows after it. Rows are scaled so that overlaps stay below 2.
TYPED_TEST(margin_kernels_of, steps_train_row_after_row_and_the_same_bits_everywhere) {
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = 1 + this->random() % register_columns;
    const auto rows = this->some_rows(columns, columns, round % 5, 1.0f / std::sqrt(static_cast<float>(columns)));
    const auto before = random_numbers(this->random, columns);

    std::vector<double> expected(before.begin(), before.end()), expected_dots;
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      double dot = 0;
      for (const auto& [j, x] : rows.entries(i)) dot += expected[j] * x;
      expected_dots.push_back(dot);
      for (const auto& [j, x] : rows.entries(i)) expected[j] -= 0.5 * slope_of_score(dot) * x;
    }

    const auto found = same_everywhere([&](isa set) {
      const guarded<float> w(before);
      listener heard;
      this->kernels(set).steps(w.data(), columns, rows.batch, heard.response());
      std::vector<std::size_t> in_order(rows.batch.rows);
      std::iota(in_order.begin(), in_order.end(), std::size_t{0});
      EXPECT_EQ(heard.rows, in_order);
      return arrays_of_floats{w.copy(), heard.dots};
    });
    expect_near(found[0], expected, 1e-4);
    expect_near(found[1], expected_dots, 1e-4);
  }
}

// In double, over one batch: weights stay below some 4, of steps of at most 1/16 each, in single precision.
TYPED_TEST(margin_kernels_of, adagrad_trains_row_after_row_and_the_same_bits_everywhere) {
  constexpr exact_rule rule{true, 0.0625};
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t columns = 5 + this->random() % 200;
    const bool has_bias = round % 2 == 0;
    const int l2 = static_cast<int>(round % 3);  // none, the same for all columns, one for each
    const auto rows = this->some_rows(30, columns, round % 5);
    const auto before = random_numbers(this->random, columns + 1), own = random_sizes(this->random, columns);
    const auto fraction = [&](std::size_t j) { return l2 == 0 ? 0.0 : l2 == 1 ? 0.25 : static_cast<double>(own[j]); };

    std::vector<double> w(before.begin(), before.end()), sums(columns + 1, 0.5);
    for (std::size_t i = 0; i < rows.batch.rows; ++i) {
      double margin = has_bias ? w[columns] : 0.0;
      for (const auto& [j, x] : rows.entries(i)) margin += w[j] * x;
      const double slope = slope_of_score(margin);
      for (const auto& [j, x] : rows.entries(i)) rule.change(w[j], sums[j], slope * x, fraction(j));
      if (has_bias) rule.change(w[columns], sums[columns], slope);
    }

    const auto found = same_everywhere([&](isa set) {
      std::vector<float> to = before, kept(columns + 1, 0.5f);
      const auto arrays = [&](std::vector<float>& of) {
        return margin_arrays{of.data(), has_bias ? of.data() + columns : nullptr};
      };
      this->kernels(set).adagrad({.to = arrays(to),
                                  .sums = arrays(kept),
                                  .step = static_cast<float>(rule.step),
                                  .l2 = l2 == 1 ? 0.25f : 0.0f,
                                  .l2_of = l2 == 2 ? own.data() : nullptr},
                                 rows.batch,
                                 {[](void*, std::size_t, float dot) { return slope_of_score(dot); }, nullptr});
      return arrays_of_floats{to, kept};
    });
    expect_near(found[0], w, 1e-3);
    expect_near(found[1], sums, 1e-3);
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
    for (const std::size_t tail : {0u, 5u}) {  // a multiple of eight, and an incomplete vector at the end
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
