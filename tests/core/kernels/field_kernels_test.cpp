// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/field_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Parameters of an ffm, or sums, in the order of a model's.
template <class T>
struct field_fm {
  std::size_t columns, fields, width;
  std::vector<T> all;

  std::size_t stride() const { return fields * width; }
  T* factors(std::size_t j, std::size_t field) { return all.data() + j * stride() + field * width; }
  T& weight(std::size_t j) { return all[columns * stride() + j]; }
  T& bias() { return all.back(); }
};

field_arrays arrays_of(field_fm<float>& m) {
  return {m.all.data(), &m.weight(0), &m.bias(), m.width, m.stride()};
}

/// A model of small numbers; the last factors of each block are padding.
field_fm<float> small_field_fm(std::mt19937_64& random, std::size_t columns, std::size_t fields, std::size_t factors) {
  const std::size_t width = field_width(factors);
  field_fm<float> m{columns, fields, width, random_numbers(random, columns * (fields * width + 1) + 1)};
  for (float& x : m.all) x *= 0.1f;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t f = 0; f < fields; ++f) std::fill_n(m.factors(j, f) + factors, width - factors, 0.0f);
  }
  return m;
}

/// A row whose memory is its own. Column j is of field j % fields.
struct owned_field_row {
  std::vector<field_entry> entries;
  std::vector<field_run> runs;
  std::size_t slots = 0;

  /// A row of these columns, which are distinct.
  owned_field_row(std::mt19937_64& random, std::vector<std::uint32_t> columns, std::size_t fields) {
    std::ranges::sort(columns, {}, [&](std::uint32_t j) { return std::pair(j % fields, j); });
    for (const std::uint32_t j : columns) {
      const auto field = static_cast<std::uint32_t>(j % fields);
      const bool begins = entries.empty() || entries.back().field != field;
      if (begins) {
        if (runs.empty() || entries.back().field + 1 != field)
          runs.push_back({field, static_cast<std::uint32_t>(slots), 0});
        ++runs.back().fields;
        ++slots;
      } else {
        entries.back().ends = false;
      }
      entries.push_back({j, field, static_cast<std::uint32_t>(slots - 1), begins, true, random_numbers(random, 1)[0]});
    }
  }
  field_row row() const { return {entries.data(), entries.size(), runs.data(), runs.size(), slots}; }
};

/// `n` of the columns, any ones.
owned_field_row some_entries(std::mt19937_64& random, std::size_t columns, std::size_t fields, std::size_t n) {
  std::vector<std::uint32_t> all(columns);
  for (std::size_t j = 0; j < columns; ++j) all[j] = static_cast<std::uint32_t>(j);
  std::ranges::shuffle(all, random);
  all.resize(n);
  return {random, all, fields};
}

/// A column of each of `n` of the fields, any ones.
owned_field_row one_a_field(std::mt19937_64& random, std::size_t columns, std::size_t fields, std::size_t n) {
  std::vector<std::uint32_t> all(fields);
  for (std::size_t f = 0; f < fields; ++f)
    all[f] = static_cast<std::uint32_t>(f + fields * (random() % (columns / fields)));
  std::ranges::shuffle(all, random);
  all.resize(n);
  return {random, all, fields};
}

/// The formula, pair by pair (models/ffm.hpp).
struct fields_by_formula {
  field_fm<double>& w;
  field_fm<double>& sums;
  exact_rule rule;
  double l2;

  double score(const owned_field_row& z) const {
    double s = w.bias();
    for (std::size_t j = 0; j < z.entries.size(); ++j) {
      const field_entry& a = z.entries[j];
      s += w.weight(a.column) * static_cast<double>(a.x);
      for (std::size_t k = 0; k < j; ++k) {
        const field_entry& b = z.entries[k];
        for (std::size_t f = 0; f < w.width; ++f)
          s += w.factors(a.column, b.field)[f] * w.factors(b.column, a.field)[f] * static_cast<double>(a.x) *
               static_cast<double>(b.x);
      }
    }
    return s;
  }
  void train(const owned_field_row& z, double slope) {
    field_fm<double> partial{w.columns, w.fields, w.width, std::vector<double>(w.all.size())};
    std::vector<char> met(w.columns * w.fields);
    for (const field_entry& a : z.entries) {
      for (const field_entry& b : z.entries) {
        if (&a == &b) continue;
        met[a.column * w.fields + b.field] = 1;
        for (std::size_t f = 0; f < w.width; ++f)
          partial.factors(a.column, b.field)[f] +=
              slope * static_cast<double>(a.x) * static_cast<double>(b.x) * w.factors(b.column, a.field)[f];
      }
    }
    for (const field_entry& a : z.entries) {
      for (std::size_t field = 0; field < w.fields; ++field) {
        if (met[a.column * w.fields + field] == 0) continue;
        for (std::size_t f = 0; f < w.width; ++f)
          rule.change(w.factors(a.column, field)[f], sums.factors(a.column, field)[f],
                      partial.factors(a.column, field)[f], l2);
      }
      rule.change(w.weight(a.column), sums.weight(a.column), slope * static_cast<double>(a.x), l2);
    }
    rule.change(w.bias(), sums.bias(), slope);
  }
};

/// How a row of a score with this slope changes a model.
struct field_step {
  bool adagrad = false;
  float l2 = 0.0f, slope = 1.0f, sums_before = 0.5f;
  bool biases = true;
  field_row next{};
};
constexpr float step_size = 0.125f;

/// The score of a row, and the parameters and sums of squares after it.
arrays_of_floats trained_fields(isa set, field_fm<float> m, const owned_field_row& z, const field_step& by) {
  field_fm<float> sums{m.columns, m.fields, m.width, std::vector<float>(m.all.size(), by.sums_before)};
  std::vector<float> room(field_room(z.slots, m.width), 9.0f);
  const field_kernels& kernels = field_kernels_of(set);
  const float score = kernels.score(arrays_of(m), z.row(), room.data());
  (by.adagrad ? kernels.adagrad : kernels.sgd)({.to = arrays_of(m),
                                                .sums = by.adagrad ? arrays_of(sums) : field_arrays{},
                                                .step = step_size,
                                                .l2 = by.l2,
                                                .biases = by.biases,
                                                .room = room.data()},
                                               z.row(), by.slope, by.next);
  return {{score}, m.all, sums.all};
}

class field_kernels_with : public testing::TestWithParam<std::size_t> {
 protected:
  void expect_formula(const owned_field_row& z, std::size_t columns, std::size_t fields) {
    SCOPED_TRACE(std::to_string(z.entries.size()) + " entries");
    const owned_field_row next = some_entries(random, columns, fields, 7);
    for (const bool adagrad : {false, true}) {
      for (const float l2 : {0.0f, 0.25f}) {
        const auto before = small_field_fm(random, columns, fields, GetParam());
        field_fm<double> exact{columns, fields, before.width, {before.all.begin(), before.all.end()}}, sums = exact;
        sums.all.assign(exact.all.size(), 0.5);
        fields_by_formula formula{exact, sums, {adagrad, double{step_size}}, double{l2}};
        const double score = formula.score(z);
        formula.train(z, -0.25);

        const auto found = same_everywhere([&](isa set) {
          return trained_fields(set, before, z, {adagrad, l2, -0.25f, 0.5f, true, next.row()});
        });
        expect_near(found[0], {score}, 1e-4);
        expect_near(found[1], exact.all, 1e-4);
        expect_near(found[2], sums.all, 1e-4);
      }
    }
  }

  std::mt19937_64 random{23};
};

// 50 columns of 10 fields: rows of a few entries have gaps between their fields, and rows of 30 have several entries a
// field; other rows have one a field. Numbers are below 1, parameters below 0.4 except one in 1e4: 1e-4 is a hundred
// times the rounding of some thousand products.
TEST_P(field_kernels_with, rows_are_scored_and_trained_by_the_formula_and_to_the_same_bits_everywhere) {
  for (const std::size_t entries : {0u, 1u, 2u, 5u, 10u, 30u, 50u})
    expect_formula(some_entries(random, 50, 10, entries), 50, 10);
  for (const std::size_t entries : {2u, 3u, 4u, 7u, 9u, 10u})
    expect_formula(one_a_field(random, 50, 10, entries), 50, 10);
  if (GetParam() != 4) return;
  for (const std::size_t entries : {128u, 129u, 140u}) expect_formula(one_a_field(random, 280, 140, entries), 280, 140);
}
INSTANTIATE_TEST_SUITE_P(factors, field_kernels_with, testing::Values(1, 3, 4, 5, 8, 16, 30, 32));

struct field_kernels_on_a_row : testing::Test {
  std::mt19937_64 random{5};
  field_fm<float> before = small_field_fm(random, 20, 4, 4);
  const owned_field_row z = some_entries(random, 20, 4, 12);
};

TEST_F(field_kernels_on_a_row, give_the_same_bits_of_denormals) {
  for (float& x : before.all) x *= std::numeric_limits<float>::min();
  same_everywhere([&](isa set) { return trained_fields(set, before, z, {.l2 = 0.5f}); });
}

TEST_F(field_kernels_on_a_row, leave_the_bias_alone_where_it_is_frozen) {
  for (const bool adagrad : {false, true}) {
    auto free = trained_fields(isa::scalar, before, z, {.adagrad = adagrad})[1],
         frozen = trained_fields(isa::scalar, before, z, {.adagrad = adagrad, .biases = false})[1];
    EXPECT_NE(free.back(), before.all.back());
    EXPECT_EQ(frozen.back(), before.all.back());
    frozen.back() = free.back();
    EXPECT_TRUE(same_bits(frozen, free));
  }
}

// The kernels' inverse root of a sum that is not finite is not finite either, unless the sum is taken for the largest
// number.
TEST_F(field_kernels_on_a_row, stop_factors_whose_sum_of_squares_is_beyond_all_numbers_and_spoil_nothing) {
  const auto found = same_everywhere([&](isa set) {
    return trained_fields(set, before, z, {.adagrad = true, .sums_before = std::numeric_limits<float>::infinity()});
  });
  EXPECT_EQ(found[1], before.all);
}

}  // namespace
