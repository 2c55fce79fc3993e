// SPDX-License-Identifier: Apache-2.0
// Dense rows: every kernel computes the same bits for them as for the same rows with an index for each entry, on every
// instruction set.
#include <hogwild/detail/kernels/margin_kernels.hpp>

#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// A batch of both kinds on the same values.
struct two_batches {
  std::vector<float> value;
  std::vector<std::uint32_t> index, all;
  row_batch<std::uint32_t, float> sparse, dense;

  two_batches(std::mt19937_64& random, std::size_t rows, std::size_t columns)
      : value(random_numbers(random, rows * columns)), all(columns) {
    std::iota(all.begin(), all.end(), 0u);
    for (std::size_t i = 0; i < rows; ++i) {
      index.insert(index.end(), all.begin(), all.end());
      sparse.begin[i] = i * columns, sparse.end[i] = (i + 1) * columns;
    }
    sparse.value = value.data();
    sparse.rows = rows;
    dense = sparse;
    sparse.index = index.data();
    dense.index = all.data();
    dense.dense = true;
  }
  two_batches(const two_batches&) = delete;  // the batches point into the arrays
  two_batches& operator=(const two_batches&) = delete;
};

/// Numbers of rows and columns: with and without an incomplete vector, and on both sides of the capacity of the
/// registers.
struct dense_kernels : testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
  std::size_t rows = std::get<0>(GetParam()), columns = std::get<1>(GetParam());
  std::mt19937_64 random{rows + 100 * columns};
  two_batches batches{random, rows, columns};
  std::vector<float> w = random_numbers(random, columns + 1);

  template <class Train>
  void expect_same(const Train& train) const {
    same_everywhere([&](isa set) {
      const auto& kernels = kernels_of<std::uint32_t, float>(set);
      const std::vector<float> of_sparse = train(kernels, batches.sparse), of_dense = train(kernels, batches.dense);
      EXPECT_EQ(of_dense, of_sparse);
      return arrays_of_floats{of_dense};
    });
  }
};

constexpr auto by_margin = [](void*, std::size_t row, float dot) {
  return row % 5 == 3 ? 0.0f : -0.1f / (1.0f + std::abs(dot));
};

TEST_P(dense_kernels, dots) {
  expect_same([&](const auto& kernels, const auto& batch) {
    std::vector<float> out(batch.rows + 1, 42.0f);
    kernels.dots(w.data(), batch, out.data());
    EXPECT_EQ(out.back(), 42.0f);
    return out;
  });
}

TEST_P(dense_kernels, updates) {
  std::vector<float> change = random_numbers(random, rows);
  change[rows / 2] = 0.0f;
  expect_same([&](const auto& kernels, const auto& batch) {
    std::vector<float> after = w;
    kernels.updates(after.data(), batch, change.data());
    EXPECT_EQ(after.back(), w.back());
    return after;
  });
}

TEST_P(dense_kernels, steps) {
  if (columns > register_columns) return;  // which registers cannot hold
  expect_same([&](const auto& kernels, const auto& batch) {
    std::vector<float> after = w;
    kernels.steps(after.data(), columns, batch, {by_margin, nullptr});
    return after;
  });
}

TEST_P(dense_kernels, adagrad) {
  expect_same([&](const auto& kernels, const auto& batch) {
    std::vector<float> after = w, sums(columns, 0.0f);
    kernels.adagrad({.to = {.weights = after.data()}, .sums = {.weights = sums.data()}, .step = 0.1f}, batch,
                    {by_margin, nullptr});
    after.insert(after.end(), sums.begin(), sums.end());
    return after;
  });
}

TEST_P(dense_kernels, momentum) {
  expect_same([&](const auto& kernels, const auto& batch) {
    std::vector<float> after = w, first(columns, 0.0f);
    std::vector<std::uint32_t> settled(columns, 0);
    kernels.momentum.rows({.weights = after.data(),
                           .first = first.data(),
                           .columns = columns,
                           .settled = settled.data(),
                           .step = 0.1f,
                           .momentum = 0.9f},
                          batch, {by_margin, nullptr});
    after.insert(after.end(), first.begin(), first.end());
    return after;
  });
}

INSTANTIATE_TEST_SUITE_P(every, dense_kernels,
                         testing::Combine(testing::Values(1, 3, 4, 7, 16),
                                          testing::Values(1, 7, 8, 20, 100, 128, 307)));

TEST(dense_updates, a_row_of_change_zero_is_skipped) {
  const std::vector<float> value(9, INFINITY);
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8};
  row_batch<std::uint32_t, float> one{all.data(), value.data(), {0}, {9}, 1, true};
  for (const isa set : instruction_sets_here()) {
    std::vector<float> w(9, 1.0f);
    const float no_change = 0.0f;
    kernels_of<std::uint32_t, float>(set).updates(w.data(), one, &no_change);
    EXPECT_EQ(w, std::vector<float>(9, 1.0f)) << name_of(set);  // 0 times infinity would be NaN
  }
}

TEST(dense_updates, of_no_rows_change_nothing) {
  row_batch<std::uint32_t, float> none;
  none.dense = true;
  float w = 1.0f, out = 42.0f;
  kernels_of<std::uint32_t, float>(isa::scalar).dots(&w, none, &out);
  kernels_of<std::uint32_t, float>(isa::scalar).updates(&w, none, &out);
  EXPECT_EQ(w, 1.0f);
  EXPECT_EQ(out, 42.0f);
}

}  // namespace
