// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/bf16_kernels.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/error.hpp>

#include "kernels/embedding/tile_products.hpp"

#include "harness.hpp"
#include "tile_model.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// The forms that this processor can run, and the loops of AMX around tiles in software.
const std::vector<bf16_kernels>& forms_tested() {
  static const std::vector<bf16_kernels> all = [] {
    std::vector<bf16_kernels> forms{{"amx in software", detail::tile_products<tile_model>::product}};
    for (const bf16_kernels* const form : bf16_forms()) forms.push_back(*form);
    for (const bf16_kernels& form : forms) std::cout << "tested: " << form.name << '\n';
    return forms;
  }();
  return all;
}

TEST(bf16_kernels, numbers_are_rounded_to_the_nearest_and_of_two_to_the_even_one) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  struct rounded_number {
    float from;
    std::uint32_t to;
  };
  const rounded_number numbers[] = {{0.0f, 0x0000},
                                    {-0.0f, 0x8000},
                                    {1.0f, 0x3f80},
                                    {1.0f + 0x1p-8f, 0x3f80},  // halfway
                                    {1.0f + 0x3p-8f, 0x3f82},
                                    {1.0f + 0x1p-8f + 0x1p-23f, 0x3f81},
                                    {1.0f + 0x3p-8f - 0x1p-23f, 0x3f81},
                                    {-1.0f - 0x3p-8f, 0xbf82},
                                    {1.99999f, 0x4000},
                                    {std::numeric_limits<float>::max(), 0x7f80},
                                    {infinite, 0x7f80},
                                    {-infinite, 0xff80},
                                    {0x1p-133f, 0x0001},
                                    {0x1p-134f, 0x0000},
                                    {0x3p-134f, 0x0002},
                                    {-0x1p-149f, 0x8000}};
  constexpr std::size_t n = std::size(numbers);
  std::vector<float> row, reversed;
  for (const rounded_number& number : numbers) row.push_back(number.from);
  reversed.assign(row.rbegin(), row.rend());
  const auto found = same_everywhere([&](isa set) -> arrays_of_floats {
    std::vector<float> of_row(n / 2), of_rows(n);
    embedding_kernels_of(set).pairs_of_row(row.data(), n, of_row.data());
    embedding_kernels_of(set).pairs_of_rows(row.data(), reversed.data(), n, of_rows.data());
    return {of_row, of_rows};
  });
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found[0][k / 2]) >> k % 2 * 16 & 0xffffu, numbers[k].to) << k;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found[1][k]), numbers[k].to | numbers[n - 1 - k].to << 16) << k;
  }
}

TEST(bf16_kernels, what_is_no_number_stays_none) {
  for (const isa set : instruction_sets_here()) {
    for (const std::uint32_t none : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
      const std::vector<float> row(32, std::bit_cast<float>(none));
      std::vector<float> pairs(16);
      embedding_kernels_of(set).pairs_of_row(row.data(), row.size(), pairs.data());
      for (const float pair : pairs) {
        const auto bits = std::bit_cast<std::uint32_t>(pair);
        EXPECT_TRUE(std::isnan(from_bf16(bits & 0xffffu)) && std::isnan(from_bf16(bits >> 16))) << name_of(set);
      }
    }
  }
}

/// Factors of a product, of which some numbers are denormal.
class product_of_pairs {
 public:
  product_of_pairs(std::size_t rows, std::size_t columns, std::size_t pairs)
      : rows_(rows),
        columns_(columns),
        pairs_(pairs),
        a_(padded_to_lanes(rows) * pairs),
        b_(pairs * columns),
        numbers_a_(rows * 2 * pairs),
        numbers_b_(2 * pairs * columns) {
    // Rows that only fill up the last sixteen may hold anything.
    std::fill_n(a_.data(), padded_to_lanes(rows) * pairs, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t p = 0; p < 2 * pairs; ++p) set_a(i, p, next());
    for (std::size_t p = 0; p < 2 * pairs; ++p)
      for (std::size_t j = 0; j < columns; ++j) set_b(p, j, next());
  }

  void set_a(std::size_t i, std::size_t p, std::uint32_t bits) {
    numbers_a_[i * 2 * pairs_ + p] = bits;
    set(a_.data()[p / 32 * padded_to_lanes(rows_) * 16 + i * 16 + p / 2 % 16], p % 2, bits);
  }
  void set_b(std::size_t p, std::size_t j, std::uint32_t bits) {
    numbers_b_[p * columns_ + j] = bits;
    set(b_.data()[j / 16 * pairs_ * 16 + p / 2 * 16 + j % 16], p % 2, bits);
  }

  /// C, whose rows are `apart` floats apart, in memory that ends where they end. What lies between them must not
  /// change.
  std::vector<float> product(const bf16_kernels& form, std::size_t apart) const {
    constexpr float between = 0.123f;
    const guarded<float> c(std::vector<float>((rows_ - 1) * apart + columns_, between));
    form.product(rows_, columns_, pairs_, a_.data(), b_.data(), c.data(), apart);
    std::vector<float> found;
    for (std::size_t k = 0; k < (rows_ - 1) * apart + columns_; ++k) {
      if (k % apart < columns_)
        found.push_back(c.data()[k]);
      else
        EXPECT_EQ(c.data()[k], between);
    }
    return found;
  }

  /// Sums of rounded products of any order are within the bound of exact_sum. Besides, a denormal factor may count as
  /// 0, and any sum may be off by a denormal number.
  void expect(const std::vector<float>& found) const {
    constexpr double least = std::numeric_limits<float>::min();
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) {
        exact_sum sum;
        double denormal = 0.0;
        for (std::size_t p = 0; p < 2 * pairs_; ++p) {
          const auto x = static_cast<double>(from_bf16(numbers_a_[i * 2 * pairs_ + p])),
                     y = static_cast<double>(from_bf16(numbers_b_[p * columns_ + j]));
          sum.add(x * y);
          if (std::abs(x) < least || std::abs(y) < least) denormal += std::abs(x * y);
        }
        const auto terms = static_cast<double>(sum.terms);
        const double bound = 1.0001 * terms * 0x1p-24 * sum.sizes + denormal + 2.0 * terms * least;
        ASSERT_NEAR(static_cast<double>(found[i * columns_ + j]), sum.value, bound) << i << ' ' << j;
      }
    }
  }

 private:
  static void set(float& pair, std::size_t half, std::uint32_t bits) {
    const auto other = std::bit_cast<std::uint32_t>(pair) & 0xffffu << (1 - half) * 16;
    pair = std::bit_cast<float>(other | bits << half * 16);
  }
  /// Between 2^-4 and 2^4 and of both signs, or once in a while zero or denormal.
  std::uint32_t next() {
    const auto bits = static_cast<std::uint32_t>(random_());
    if (bits % 97 == 0) return bits >> 16 & 0x807fu;
    return (bits >> 16 & 0x807fu) | (123u + (bits >> 8) % 9) << 7;
  }

  std::size_t rows_, columns_, pairs_;
  lined_floats a_, b_;
  std::vector<std::uint32_t> numbers_a_, numbers_b_;  ///< row after row
  std::mt19937_64 random_{3};
};

TEST(bf16_kernels, products_are_sums_of_products) {
  for (const bf16_kernels& form : forms_tested()) {
    for (const std::size_t rows : {1u, 3u, 4u, 12u, 15u, 16u, 17u, 29u, 32u, 48u, 61u}) {
      for (const std::size_t columns : {16u, 32u, 48u, 64u, 80u, 144u}) {
        for (const std::size_t pairs : {16u, 32u, 112u}) {
          SCOPED_TRACE(std::string(form.name) + ": " + std::to_string(rows) + " x " + std::to_string(columns) +
                       " x 2 " + std::to_string(pairs));
          const product_of_pairs factors(rows, columns, pairs);
          const std::vector<float> found = factors.product(form, columns);
          factors.expect(found);
          EXPECT_EQ(factors.product(form, columns + 32), found);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(bf16_kernels, what_is_no_number_is_seen_in_its_row_and_column_alone) {
  constexpr std::size_t rows = 19, columns = 48, pairs = 32;
  for (const bf16_kernels& form : forms_tested()) {
    SCOPED_TRACE(std::string(form.name));
    product_of_pairs factors(rows, columns, pairs);
    factors.set_a(17, 40, 0x7fc0);
    factors.set_b(9, 33, 0x7f80);
    const std::vector<float> found = factors.product(form, columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        EXPECT_EQ(std::isfinite(found[i * columns + j]), i != 17 && j != 33) << i << ' ' << j;
  }
}

TEST(bf16_kernels, the_fastest_form_here_is_taken_or_its_lack_is_told) {
  EXPECT_EQ(bf16_forms().size(), std::size_t{has_amx_bf16()} + std::size_t{has_avx512_bf16()});
  if (bf16_forms().empty()) {
    EXPECT_THROW(bf16_kernels_here(), config_error);
  } else {
    EXPECT_EQ(bf16_kernels_here().name, has_amx_bf16() ? "amx" : "avx512_bf16");
  }
}

}  // namespace
