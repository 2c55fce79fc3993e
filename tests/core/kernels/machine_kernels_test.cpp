// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/row_kernels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"
#include "support/same_bits.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Parameters of a machine, or sums, in the order of a model's.
template <class T>
struct machine {
  std::size_t columns, width;
  std::vector<T> all;

  T* factors(std::size_t j) { return all.data() + j * width; }
  T& weight(std::size_t j) { return all[columns * width + j]; }
  T& bias() { return all.back(); }
};

machine_arrays arrays_of(machine<float>& m) {
  return {.factors = m.all.data(), .weights = &m.weight(0), .bias = &m.bias(), .width = m.width};
}

/// A model of small numbers; the last factors of each column are padding.
machine<float> small_machine(std::mt19937_64& random, std::size_t columns, std::size_t width, std::size_t padding) {
  machine<float> m{columns, width, random_numbers(random, columns * (width + 1) + 1)};
  for (float& x : m.all) x *= 0.1f;
  for (std::size_t j = 0; j < columns; ++j) std::fill_n(m.factors(j) + width - padding, padding, 0.0f);
  return m;
}
machine<double> in_double(const machine<float>& m) {
  return {m.columns, m.width, {m.all.begin(), m.all.end()}};
}

/// The slope of a loss that is flat from 1 on and nowhere steeper than a quarter, so that parameters stay small.
float slope_for(double score) {
  return score > 1.0 ? 0.0f : static_cast<float>(std::max(-0.25, 0.25 * (score - 1.0)));
}

/// The formula, entry by entry (models/factorization_machine.hpp).
struct by_formula {
  machine<double>& w;
  machine<double>& sums;
  bool adagrad;
  double step;
  std::vector<double> fraction;  ///< of l2, by column

  template <class Index, class Value>
  std::vector<double> sums_of(const random_rows<Index, Value>& rows, std::size_t i) const {
    std::vector<double> sum(w.width);
    for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
      for (std::size_t f = 0; f < w.width; ++f)
        sum[f] += w.factors(rows.index[k])[f] * static_cast<double>(widened(rows.value[k]));
    }
    return sum;
  }
  template <class Index, class Value>
  double score(const random_rows<Index, Value>& rows, std::size_t i) const {
    const std::vector<double> sum = sums_of(rows, i);
    double linear = w.bias(), pairs = 0;
    for (const double s : sum) pairs += s * s;
    for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
      const auto x = static_cast<double>(widened(rows.value[k]));
      linear += w.weight(rows.index[k]) * x;
      for (std::size_t f = 0; f < w.width; ++f) pairs -= std::pow(w.factors(rows.index[k])[f] * x, 2);
    }
    return linear + pairs / 2;
  }
  void change(double& at, double& sum, double g) const {
    sum += g * g;
    at -= adagrad ? step * g / std::sqrt(sum + 1e-8) : step * g;
  }
  void change(double& at, double& sum, double g, double l2) const {
    change(at, sum, adagrad ? g + l2 * at : g);
    if (!adagrad) at /= 1 + step * l2;
  }
  template <class Index, class Value>
  void train(const random_rows<Index, Value>& rows, std::size_t i) {
    const double slope = static_cast<double>(slope_for(score(rows, i)));
    const std::vector<double> sum = sums_of(rows, i);
    for (std::size_t k = rows.batch.begin[i]; k < rows.batch.end[i]; ++k) {
      const std::size_t j = rows.index[k];
      const auto x = static_cast<double>(widened(rows.value[k]));
      for (std::size_t f = 0; f < w.width; ++f)
        change(w.factors(j)[f], sums.factors(j)[f], slope * x * (sum[f] - x * w.factors(j)[f]), fraction[j]);
      change(w.weight(j), sums.weight(j), slope * x, fraction[j]);
    }
    change(w.bias(), sums.bias(), slope);
  }
};

template <class Kind>
class machine_kernels_for : public testing::Test {
 public:
  using rows_type = random_rows<typename Kind::index, typename Kind::value>;
  static const auto& kernels(isa set) {
    return row_kernels_of<machine_arrays, typename Kind::index, typename Kind::value>(set);
  }
  std::mt19937_64 random{17};
};
TYPED_TEST_SUITE(machine_kernels_for, all_row_kinds);

constexpr std::size_t widths[] = {4, 8, 16, 24, 32, 40, 64};
const score_response answer{
    [](void*, std::size_t, float* score) { return (*score = slope_for(static_cast<double>(*score))) != 0.0f; },
    nullptr};

// A score of some 40 entries has sums of up to 40 * 64 products, each below 1 but for one in 1e8, in single precision:
// 1e-4 is a hundred times their error.
TYPED_TEST(machine_kernels_for, scores_are_those_of_the_formula_and_the_same_bits_everywhere) {
  for (const std::size_t width : widths) {
    auto m = small_machine(this->random, 90, width, this->random() % 4);
    machine<double> exact = in_double(m), none = exact;
    const by_formula formula{exact, none, false, 0.0, {}};
    const typename TestFixture::rows_type rows(this->random, batch_rows, 40, m.columns, width % 3);
    std::vector<float> first;
    for (const isa set : instruction_sets_here()) {
      std::vector<float> out(batch_rows);
      this->kernels(set).scores(arrays_of(m), rows.batch, out.data());
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_NEAR(static_cast<double>(out[i]), formula.score(rows, i), 1e-4) << name_of(set) << ", width " << width;
      if (set == isa::scalar) first = out;
      EXPECT_TRUE(same_bits(out, first)) << name_of(set) << ", width " << width;
    }
  }
}

TYPED_TEST(machine_kernels_for, rows_are_trained_by_the_formula_and_to_the_same_bits_everywhere) {
  for (const std::size_t width : widths) {
    for (const bool adagrad : {false, true}) {
      for (const int l2 : {0, 1, 2}) {  // none, the same of all columns, of each its own
        const std::size_t padding = this->random() % 4;
        const auto before = small_machine(this->random, 70, width, padding);
        const typename TestFixture::rows_type rows(this->random, batch_rows, 40, before.columns, width % 3);
        auto own = random_numbers(this->random, before.columns);
        for (float& x : own) x = l2 == 0 ? 0.0f : l2 == 1 ? 0.25f : std::abs(x);

        machine<double> exact = in_double(before), exact_sums = exact;
        exact_sums.all.assign(exact.all.size(), 0.5);
        by_formula formula{exact, exact_sums, adagrad, 0.125, {own.begin(), own.end()}};
        for (std::size_t i = 0; i < rows.batch.rows; ++i) formula.train(rows, i);

        std::vector<float> first, first_sums;
        for (const isa set : instruction_sets_here()) {
          auto m = before;
          machine<float> sums{m.columns, width, std::vector<float>(m.all.size(), 0.5f)};
          std::vector<float> room(width);
          const row_update<machine_arrays> update{.to = arrays_of(m),
                                                  .sums = adagrad ? arrays_of(sums) : machine_arrays{},
                                                  .step = 0.125f,
                                                  .l2 = l2 == 1 ? 0.25f : 0.0f,
                                                  .l2_of = l2 == 2 ? own.data() : nullptr,
                                                  .room = room.data()};
          (adagrad ? this->kernels(set).adagrad : this->kernels(set).sgd)(update, rows.batch, answer);
          for (std::size_t k = 0; k < m.all.size(); ++k)
            ASSERT_NEAR(static_cast<double>(m.all[k]), exact.all[k], 1e-3)
                << name_of(set) << ", width " << width << ", adagrad " << adagrad << ", l2 " << l2 << ", " << k;
          for (std::size_t j = 0; j < m.columns; ++j) {
            for (std::size_t f = width - padding; f < width; ++f) EXPECT_EQ(m.factors(j)[f], 0.0f) << "padding";
          }
          if (set == isa::scalar) first = m.all, first_sums = sums.all;
          EXPECT_TRUE(same_bits(m.all, first)) << name_of(set) << ", width " << width;
          EXPECT_TRUE(same_bits(sums.all, first_sums)) << name_of(set) << ", width " << width;
        }
      }
    }
  }
}

// Either all instruction sets take denormals for zero, or none does.
TYPED_TEST(machine_kernels_for, denormals_give_the_same_bits) {
  auto before = small_machine(this->random, 30, 16, 0);
  for (float& x : before.all) x *= std::numeric_limits<float>::min();
  const typename TestFixture::rows_type rows(this->random, batch_rows, 30, before.columns, 0);
  std::vector<float> first;
  for (const isa set : instruction_sets_here()) {
    auto m = before;
    std::vector<float> room(m.width);
    const row_update<machine_arrays> update{.to = arrays_of(m), .step = 0.125f, .l2 = 0.5f, .room = room.data()};
    this->kernels(set).sgd(update, rows.batch,
                           {[](void*, std::size_t, float* score) { return (*score = 1e-38f) != 0.0f; }, nullptr});
    if (set == isa::scalar) first = m.all;
    EXPECT_TRUE(same_bits(m.all, first)) << name_of(set);
  }
}

TYPED_TEST(machine_kernels_for, a_row_without_entries_changes_the_bias_alone_and_no_rows_nothing) {
  for (const isa set : instruction_sets_here()) {
    machine<float> m{3, 8, std::vector<float>(28, 1.0f)};
    std::vector<float> room(8);
    const row_update<machine_arrays> update{.to = arrays_of(m), .step = 0.5f, .room = room.data()};
    row_batch<typename TypeParam::index, typename TypeParam::value> batch;
    const score_response two{[](void*, std::size_t, float* score) { return (*score = 2.0f) != 0.0f; }, nullptr};
    this->kernels(set).sgd(update, batch, two);
    EXPECT_EQ(m.all, std::vector<float>(28, 1.0f));
    batch.rows = 1;
    this->kernels(set).sgd(update, batch, two);
    std::vector<float> expected(28, 1.0f);
    expected.back() = 0.0f;
    EXPECT_EQ(m.all, expected);
  }
}

}  // namespace
