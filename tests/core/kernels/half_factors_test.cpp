// SPDX-License-Identifier: Apache-2.0
// Kernels whose factors are halves, against the same kernels on floats, which are tested against the formulas: from the
// same numbers they compute the same bits, until they store them.
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Parameters with factors of `n` halves, or the same numbers as floats, and adagrad's sums.
template <class Factor>
struct parameters {
  std::vector<Factor> factors;
  std::vector<float> weights;
  float bias = 0.25f;
};
struct sums_of {
  explicit sums_of(std::size_t n, std::size_t columns) : factors(n, 0.5f), weights(columns, 0.5f) {}
  std::vector<float> factors, weights;
  float bias = 0.5f;
};

std::vector<float> as_floats(const std::vector<half>& from) {
  std::vector<float> to;
  for (const half h : from) to.push_back(to_float(h));
  return to;
}

parameters<half> random_parameters(std::mt19937_64& random, std::size_t n, std::size_t columns, float size) {
  parameters<half> made{{}, random_numbers(random, columns)};
  for (const float x : random_numbers(random, n)) made.factors.push_back(to_half(size * x));
  return made;
}

/// The neighbours of a number among the halves, nearer to 0 and farther from it; both are the number itself if it is a
/// half.
struct neighbours {
  half below, above;
  explicit neighbours(float x) : below(to_half(x)) {
    if (std::abs(to_float(below)) > std::abs(x)) below = static_cast<half>(static_cast<std::uint16_t>(below) - 1);
    above = to_float(below) == x ? below : static_cast<half>(static_cast<std::uint16_t>(below) + 1);
  }
  float distance() const { return std::abs(to_float(above) - to_float(below)); }
};

/// Factorization machines of so many factors, on one row of at most so many entries.
struct fm_on_a_row {
  std::size_t width, columns = 60;
  random_rows<std::uint32_t, float> rows;
  std::vector<float> l2_of{};  ///< of each column, in the place of l2, where they differ

  fm_on_a_row(std::mt19937_64& random, std::size_t factors, std::size_t most = 40, bool by_column = false)
      : width(factors), rows(random, 1, 40, 60, 0) {
    rows.batch.end[0] = std::min(rows.batch.end[0], rows.batch.begin[0] + most);
    for (std::size_t j = 0; j < columns && by_column; ++j) l2_of.push_back(0.5f / static_cast<float>(j + 1));
  }
  std::size_t factors() const { return width * columns; }

  template <class Factor>
  void train(isa set, parameters<Factor>& w, sums_of* sums, float l2, std::uint32_t chance) const {
    std::vector<float> room(width);
    row_update<fm_arrays_of<Factor>> update{
        .to = {w.factors.data(), w.weights.data(), &w.bias, width}, .step = 0.125f, .l2 = l2, .room = room.data()};
    if (!l2_of.empty()) update.l2_of = l2_of.data();
    update.chance = chance;
    if (sums != nullptr) update.sums = {sums->factors.data(), sums->weights.data(), &sums->bias, width};
    const auto& kernels = row_kernels_of<fm_arrays_of<Factor>, std::uint32_t, float>(set);
    (sums != nullptr ? kernels.adagrad : kernels.sgd)(update, rows.batch, {&slope, nullptr});
  }
  static bool slope(void*, std::size_t, float* score) { return (*score = 0.25f * std::tanh(*score)) != 0.0f; }
};

/// Field-aware machines of so many factors a field: rows of one entry a field, or of two, in the first `present` of
/// nine.
struct fields_on_a_row {
  std::size_t width, fields = 9, columns = 18;
  std::vector<field_entry> entries;
  field_run run;

  fields_on_a_row(std::mt19937_64& random, std::size_t factors, bool pairs, std::uint32_t present = 9)
      : width(field_width(factors)), run{0, 0, present} {
    for (std::uint32_t f = 0; f < present; ++f) {
      entries.push_back({f, f, f, true, !pairs, random_numbers(random, 1)[0]});
      if (pairs) entries.push_back({f + 9, f, f, false, true, random_numbers(random, 1)[0]});
    }
  }
  std::size_t factors() const { return width * fields * columns; }

  template <class Factor>
  void train(isa set, parameters<Factor>& w, sums_of* sums, float l2, std::uint32_t chance) const {
    const field_row row{entries.data(), entries.size(), &run, run.fields > 0 ? 1u : 0u, run.fields};
    std::vector<float> room(field_room(run.fields, width));
    row_update<field_arrays_of<Factor>> update{
        .to = {w.factors.data(), w.weights.data(), &w.bias, width, fields * width},
        .step = 0.125f,
        .l2 = l2,
        .room = room.data()};
    update.chance = chance;
    if (sums != nullptr) update.sums = {sums->factors.data(), sums->weights.data(), &sums->bias, width, fields * width};
    const auto& kernels = field_kernels_of<Factor>(set);
    const float slope = 0.25f * std::tanh(kernels.score(update.to, row, room.data()));
    (sums != nullptr ? kernels.adagrad : kernels.sgd)(update, row, slope, row);
  }
};

/// A row changes halves to the same values as floats, stored as one of the two nearest halves; all instruction sets
/// choose the same one.
template <class Row>
void expect_neighbours(const Row& row, const parameters<half>& before, bool adagrad, float l2) {
  parameters<float> exact{as_floats(before.factors), before.weights};
  sums_of exact_sums(row.factors(), row.columns);
  row.train(isa::scalar, exact, adagrad ? &exact_sums : nullptr, l2, 0);
  const std::uint32_t chance = 12345;
  const auto found = same_everywhere([&](isa set) {
    auto w = before;
    sums_of sums(row.factors(), row.columns);
    row.train(set, w, adagrad ? &sums : nullptr, l2, chance);
    return arrays_of_floats{as_floats(w.factors), w.weights, {w.bias}, sums.factors, sums.weights};
  });
  for (std::size_t k = 0; k < found[0].size(); ++k) {
    const neighbours beside(exact.factors[k]);
    ASSERT_TRUE(to_half(found[0][k]) == beside.below || to_half(found[0][k]) == beside.above)
        << "factor " << k << ": " << found[0][k] << " for " << exact.factors[k];
  }
  EXPECT_TRUE(same_bits(found[1], exact.weights));
  EXPECT_EQ(found[2][0], exact.bias);
  EXPECT_TRUE(same_bits(found[3], exact_sums.factors));
  EXPECT_TRUE(same_bits(found[4], exact_sums.weights));
}

/// Calls test(row) for rows of machines of many widths, with one whose columns' l2 differ and with short ones.
template <class Test>
void on_all_rows(std::mt19937_64& random, const Test& test) {
  for (const std::size_t width : {4u, 8u, 16u, 24u, 32u, 40u, 64u}) {
    test(fm_on_a_row(random, width));
    test(fm_on_a_row(random, width, 40, true));
    for (const std::size_t most : {0u, 1u}) test(fm_on_a_row(random, width, most));
  }
  for (const std::size_t factors : {4u, 8u, 12u, 16u, 20u, 32u}) {
    test(fields_on_a_row(random, factors, false, 0));
    for (const bool pairs : {false, true})
      for (const std::uint32_t present : {9u, 1u}) test(fields_on_a_row(random, factors, pairs, present));
  }
}

// Factors of all sizes: subnormal halves and those that cross 2^-14, usual ones, and those that would exceed the
// largest half.
TEST(half_factors, are_those_of_floats_stored_as_a_neighbour_and_the_same_bits_everywhere) {
  std::mt19937_64 random{31};
  on_all_rows(random, [&](const auto& row) {
    for (const float size : {1e-6f, 6e-5f, 0.1f, 1.0f, 300.0f}) {
      const auto before = random_parameters(random, row.factors(), row.columns, size);
      for (const bool adagrad : {false, true})
        for (const float l2 : {0.0f, 0.25f}) expect_neighbours(row, before, adagrad, l2);
    }
  });
}

// Instruction sets agree even if sums are infinite or NaN; a NaN of another sign is as good.
TEST(half_factors, beyond_all_halves_give_the_same_bits_everywhere) {
  std::mt19937_64 random{32};
  on_all_rows(random, [&](const auto& row) {
    for (const float size : {3e4f, std::numeric_limits<float>::infinity()}) {
      const auto before = random_parameters(random, row.factors(), row.columns, size);
      same_everywhere([&](isa set) {
        auto w = before;
        row.train(set, w, nullptr, 0.0f, 7);
        return arrays_of_floats{as_floats(w.factors)};
      });
    }
  });
}

// Over 2048 draws a factor's mean is off by more than 0.08 of the distance between its neighbours with a probability of
// 2 exp(-2 * 2048 * 0.08^2) < 1e-11 (Hoeffding); for all about 5000 factors here it is below 1e-7. Below 2^-14 the mean
// is nearer to 0 than the number is.
TEST(half_factors, are_on_average_what_floats_are) {
  std::mt19937_64 random{33};
  constexpr int chances = 2048;
  const auto test = [&](const auto& row) {
    const auto before = random_parameters(random, row.factors(), row.columns, 0.3f);
    parameters<float> exact{as_floats(before.factors), before.weights};
    row.train(isa::scalar, exact, nullptr, 0.25f, 0);
    std::vector<double> mean(row.factors());
    for (int i = 0; i < chances; ++i) {
      auto w = before;
      row.train(choose_isa(isa::automatic), w, nullptr, 0.25f, static_cast<std::uint32_t>(i) * 0x9e3779b9u);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += static_cast<double>(to_float(w.factors[k])) / chances;
    }
    std::size_t rounded = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const double x = static_cast<double>(exact.factors[k]);
      if (std::abs(x) < 0x1p-14) continue;
      const auto distance = static_cast<double>(neighbours(exact.factors[k]).distance());
      rounded += distance > 0;
      ASSERT_NEAR(mean[k], x, 0.08 * distance + 1e-12) << k;
    }
    EXPECT_GT(rounded, row.factors() / 8);
  };
  test(fm_on_a_row(random, 16));
  test(fields_on_a_row(random, 4, false));
  test(fields_on_a_row(random, 16, true));
}

// Each row of a batch draws numbers of its own: the same row twice is not rounded the same way twice.
TEST(half_factors, are_rounded_otherwise_in_each_row_of_a_batch) {
  std::mt19937_64 random{34};
  fm_on_a_row row(random, 16);
  const auto before = random_parameters(random, row.factors(), row.columns, 0.3f);
  auto& batch = row.rows.batch;
  batch.begin[1] = batch.begin[0], batch.end[1] = batch.end[0];
  for (const isa set : instruction_sets_here()) {
    auto together = before, apart = before;
    batch.rows = 2;
    row.train(set, together, nullptr, 0.0f, 5);
    batch.rows = 1;
    for (int i = 0; i < 2; ++i) row.train(set, apart, nullptr, 0.0f, 5);
    EXPECT_NE(together.factors, apart.factors) << name_of(set);
  }
}

}  // namespace
