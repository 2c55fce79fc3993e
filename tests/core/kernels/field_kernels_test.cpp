// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/field_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"
#include "support/same_bits.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Parameters of an ffm, or sums, in the order of a model's.
template <class T>
struct field_machine {
  std::size_t columns, fields, width;
  std::vector<T> all;

  std::size_t stride() const { return fields * width; }
  T* factors(std::size_t j, std::size_t field) { return all.data() + j * stride() + field * width; }
  T& weight(std::size_t j) { return all[columns * stride() + j]; }
  T& bias() { return all.back(); }
};

field_arrays arrays_of(field_machine<float>& m) {
  return {m.all.data(), &m.weight(0), &m.bias(), m.width, m.stride()};
}

/// A model of small numbers; the last factors of each block are padding.
field_machine<float> small_field_machine(std::mt19937_64& random, std::size_t columns, std::size_t fields,
                                         std::size_t factors) {
  const std::size_t width = field_width(factors);
  field_machine<float> m{columns, fields, width, random_numbers(random, columns * (fields * width + 1) + 1)};
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
  field_machine<double>& w;
  field_machine<double>& sums;
  bool adagrad;
  double step, l2;

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
  void change(double& at, double& sum, double g, double by) const {
    if (adagrad) g += by * at;
    sum += g * g;
    at -= adagrad ? step * g / std::sqrt(sum + 1e-8) : step * g;
    if (!adagrad) at /= 1 + step * by;
  }
  void train(const owned_field_row& z, double slope) {
    field_machine<double> partial{w.columns, w.fields, w.width, std::vector<double>(w.all.size())};
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
          change(w.factors(a.column, field)[f], sums.factors(a.column, field)[f], partial.factors(a.column, field)[f],
                 l2);
      }
      change(w.weight(a.column), sums.weight(a.column), slope * static_cast<double>(a.x), l2);
    }
    change(w.bias(), sums.bias(), slope, 0.0);
  }
};

class field_kernels_with : public testing::TestWithParam<std::size_t> {
 protected:
  void expect_formula(const owned_field_row& z, std::size_t columns, std::size_t fields);

  std::mt19937_64 random{23};
};

void field_kernels_with::expect_formula(const owned_field_row& z, std::size_t columns, std::size_t fields) {
  const owned_field_row next = some_entries(random, columns, fields, 7);
  for (const bool adagrad : {false, true}) {
    for (const float l2 : {0.0f, 0.25f}) {
      const auto before = small_field_machine(random, columns, fields, GetParam());
      field_machine<double> exact{columns, fields, before.width, {before.all.begin(), before.all.end()}},
          exact_sums = exact;
      exact_sums.all.assign(exact.all.size(), 0.5);
      fields_by_formula formula{exact, exact_sums, adagrad, 0.125, static_cast<double>(l2)};
      const double score = formula.score(z);
      formula.train(z, -0.25);

      std::vector<float> first, first_sums;
      float first_score = 0;
      for (const isa set : instruction_sets_here()) {
        auto m = before;
        field_machine<float> sums{columns, fields, m.width, std::vector<float>(m.all.size(), 0.5f)};
        std::vector<float> room(field_room(z.slots, m.width), 9.0f);
        const field_kernels& kernels = field_kernels_of(set);
        const float s = kernels.score(arrays_of(m), z.row(), room.data());
        EXPECT_NEAR(static_cast<double>(s), score, 1e-4) << name_of(set) << ", " << z.entries.size() << " entries";
        const row_update<field_arrays> update{.to = arrays_of(m),
                                              .sums = adagrad ? arrays_of(sums) : field_arrays{},
                                              .step = 0.125f,
                                              .l2 = l2,
                                              .room = room.data()};
        (adagrad ? kernels.adagrad : kernels.sgd)(update, z.row(), -0.25f, next.row());
        for (std::size_t k = 0; k < m.all.size(); ++k) {
          ASSERT_NEAR(static_cast<double>(m.all[k]), exact.all[k], 1e-4)
              << name_of(set) << ", " << z.entries.size() << " entries, adagrad " << adagrad << ", l2 " << l2 << ", "
              << k;
          if (adagrad) {
            ASSERT_NEAR(static_cast<double>(sums.all[k]), exact_sums.all[k], 1e-4) << name_of(set);
          }
        }
        if (set == isa::scalar) first = m.all, first_sums = sums.all, first_score = s;
        EXPECT_EQ(s, first_score) << name_of(set);
        EXPECT_TRUE(same_bits(m.all, first)) << name_of(set) << ", " << z.entries.size() << " entries";
        EXPECT_TRUE(same_bits(sums.all, first_sums)) << name_of(set) << ", " << z.entries.size() << " entries";
      }
    }
  }
}

// 50 columns of 10 fields: rows of a few entries have gaps between their fields, and rows of 30 have several entries a
// field; other rows have one a field. Numbers are below 1, parameters below 0.4 but for one in 1e4: 1e-4 is a hundred
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

TEST(field_kernels, give_the_same_bits_of_denormals) {
  std::mt19937_64 random{5};
  auto before = small_field_machine(random, 20, 4, 4);
  for (float& x : before.all) x *= std::numeric_limits<float>::min();
  const owned_field_row z = some_entries(random, 20, 4, 12);
  std::vector<float> first;
  for (const isa set : instruction_sets_here()) {
    auto m = before;
    std::vector<float> room(field_room(z.slots, m.width));
    field_kernels_of(set).score(arrays_of(m), z.row(), room.data());
    field_kernels_of(set).sgd({.to = arrays_of(m), .step = 0.125f, .l2 = 0.5f, .room = room.data()}, z.row(), 1.0f, {});
    if (set == isa::scalar) first = m.all;
    EXPECT_TRUE(same_bits(m.all, first)) << name_of(set);
  }
}

TEST(field_kernels, leave_the_bias_alone_where_it_is_frozen) {
  std::mt19937_64 random{7};
  const auto before = small_field_machine(random, 20, 4, 4);
  const owned_field_row z = some_entries(random, 20, 4, 12);
  for (const bool adagrad : {false, true}) {
    const auto trained = [&](bool biases) {
      auto m = before;
      field_machine<float> sums{20, 4, 4, std::vector<float>(m.all.size(), 0.5f)};
      std::vector<float> room(field_room(z.slots, m.width));
      const field_kernels& kernels = field_kernels_of(isa::scalar);
      kernels.score(arrays_of(m), z.row(), room.data());
      const row_update<field_arrays> update{
          .to = arrays_of(m), .sums = arrays_of(sums), .step = 0.125f, .biases = biases, .room = room.data()};
      (adagrad ? kernels.adagrad : kernels.sgd)(update, z.row(), 1.0f, {});
      return m;
    };
    auto free = trained(true), frozen = trained(false);
    EXPECT_NE(free.bias(), before.all.back());
    EXPECT_EQ(frozen.bias(), before.all.back());
    frozen.bias() = free.bias();
    EXPECT_TRUE(same_bits(frozen.all, free.all));
  }
}

// The root's inverse of a sum that is no finite number is not, either, unless the sum is taken for the largest one.
TEST(field_kernels, a_sum_of_squares_beyond_all_numbers_stops_its_factors_and_spoils_nothing) {
  std::mt19937_64 random{6};
  const auto before = small_field_machine(random, 20, 4, 4);
  const owned_field_row z = some_entries(random, 20, 4, 12);
  for (const isa set : instruction_sets_here()) {
    auto m = before;
    field_machine<float> sums{20, 4, 4, std::vector<float>(m.all.size(), std::numeric_limits<float>::infinity())};
    std::vector<float> room(field_room(z.slots, m.width));
    field_kernels_of(set).score(arrays_of(m), z.row(), room.data());
    field_kernels_of(set).adagrad({.to = arrays_of(m), .sums = arrays_of(sums), .step = 0.125f, .room = room.data()},
                                  z.row(), 1.0f, {});
    EXPECT_EQ(m.all, before.all) << name_of(set);
  }
}

}  // namespace
