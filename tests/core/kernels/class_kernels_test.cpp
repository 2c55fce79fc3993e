// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/row_kernels.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"
#include "support/same_bits.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t class_columns = 60;

/// Derivatives of sum_k (s_k - 1)^2 / 8 by the scores, but none from 3 on.
template <class T>
T slope_of_score(T score) {
  return score > T(3) ? T(0) : T(0.25) * (score - T(1));
}
struct class_counts {
  std::size_t classes;
  bool derive(float* s) const {
    bool any = false;
    for (std::size_t k = 0; k < classes; ++k) any = (s[k] = slope_of_score(s[k])) != 0.0f || any;
    return any;
  }
};

class_arrays classes_in(std::vector<float>& w, std::size_t classes, bool bias) {
  return {.weights = w.data(), .bias = bias ? w.data() + class_columns * classes : nullptr, .classes = classes};
}

template <class Kind>
class class_kernels_for : public testing::Test {
 public:
  using rows_type = random_rows<typename Kind::index, typename Kind::value>;
  static const auto& kernels(isa set) {
    return row_kernels_of<class_arrays, typename Kind::index, typename Kind::value>(set);
  }
  std::mt19937_64 random{19};

  std::vector<float> small_numbers(std::size_t n) {
    auto numbers = random_numbers(random, n);
    for (float& x : numbers) x *= 0.1f;
    return numbers;
  }
};
TYPED_TEST_SUITE(class_kernels_for, all_row_kinds);

// Those whose last vector overlaps the one before it or does not, with one block of vectors and with several.
constexpr std::size_t class_numbers[] = {1, 3, 7, 8, 9, 10, 16, 20, 31, 32, 33, 34, 40, 41, 66, 100};

/// Scores of row i in double.
std::vector<double> scores_of(const auto& rows, std::size_t i, const std::vector<double>& w, std::size_t classes,
                              bool bias) {
  std::vector<double> s(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    s[k] = bias ? w[class_columns * classes + k] : 0.0;
    for (std::size_t e = rows.batch.begin[i]; e < rows.batch.end[i]; ++e)
      s[k] += w[rows.index[e] * classes + k] * static_cast<double>(widened(rows.value[e]));
  }
  return s;
}

// Sums of up to 30 products, rarely above 1: their error is below a tenth of 1e-4.
TYPED_TEST(class_kernels_for, scores_are_those_of_the_formula_and_the_same_bits_everywhere) {
  for (const std::size_t classes : class_numbers) {
    for (const bool bias : {false, true}) {
      auto w = this->small_numbers((class_columns + (bias ? 1 : 0)) * classes);
      const std::vector<double> exact(w.begin(), w.end());
      const typename TestFixture::rows_type rows(this->random, batch_rows, 30, class_columns, classes % 3);
      std::vector<float> first;
      for (const isa set : instruction_sets_here()) {
        std::vector<float> out(batch_rows * classes);
        this->kernels(set).scores(classes_in(w, classes, bias), rows.batch, out.data());
        for (std::size_t i = 0; i < batch_rows; ++i) {
          const auto expected = scores_of(rows, i, exact, classes, bias);
          for (std::size_t k = 0; k < classes; ++k)
            EXPECT_NEAR(static_cast<double>(out[i * classes + k]), expected[k], 1e-4) << name_of(set) << classes;
        }
        if (set == isa::scalar) first = out;
        EXPECT_TRUE(same_bits(out, first)) << name_of(set) << ", classes " << classes;
      }
    }
  }
}

TYPED_TEST(class_kernels_for, rows_are_trained_by_the_formula_and_to_the_same_bits_everywhere) {
  for (const std::size_t classes : class_numbers) {
    for (const bool adagrad : {false, true}) {
      for (const int l2 : {0, 1, 2}) {  // none, the same of all columns, of each its own
        const bool bias = classes % 2 == 0;
        const auto before = this->small_numbers((class_columns + (bias ? 1 : 0)) * classes);
        const typename TestFixture::rows_type rows(this->random, batch_rows, 30, class_columns, classes % 3);
        auto own = random_numbers(this->random, class_columns);
        for (float& x : own) x = l2 == 0 ? 0.0f : l2 == 1 ? 0.25f : std::abs(x);
        const double step = 0.03125;

        std::vector<double> w(before.begin(), before.end()), sums(w.size(), 0.5);
        const auto change = [&](std::size_t at, double g, double fraction) {
          if (adagrad) g += fraction * w[at];
          sums[at] += g * g;
          w[at] -= adagrad ? step * g / std::sqrt(sums[at] + 1e-8) : step * g;
          if (!adagrad) w[at] /= 1 + step * fraction;
        };
        for (std::size_t i = 0; i < rows.batch.rows; ++i) {
          auto slope = scores_of(rows, i, w, classes, bias);
          for (double& s : slope) s = slope_of_score(s);
          for (std::size_t e = rows.batch.begin[i]; e < rows.batch.end[i]; ++e) {
            const std::size_t j = rows.index[e];
            for (std::size_t k = 0; k < classes; ++k)
              change(j * classes + k, slope[k] * static_cast<double>(widened(rows.value[e])),
                     static_cast<double>(own[j]));
          }
          for (std::size_t k = 0; bias && k < classes; ++k) change(class_columns * classes + k, slope[k], 0.0);
        }

        std::vector<float> first, first_sums;
        for (const isa set : instruction_sets_here()) {
          std::vector<float> found = before, kept(before.size(), 0.5f), room(classes);
          const row_update<class_arrays> update{.to = classes_in(found, classes, bias),
                                                .sums = adagrad ? classes_in(kept, classes, bias) : class_arrays{},
                                                .step = static_cast<float>(step),
                                                .l2 = l2 == 1 ? 0.25f : 0.0f,
                                                .l2_of = l2 == 2 ? own.data() : nullptr,
                                                .room = room.data()};
          class_counts counts{classes};
          const score_response answer{
              [](void* self, std::size_t, float* s) { return static_cast<class_counts*>(self)->derive(s); }, &counts};
          (adagrad ? this->kernels(set).adagrad : this->kernels(set).sgd)(update, rows.batch, answer);
          for (std::size_t k = 0; k < w.size(); ++k)
            ASSERT_NEAR(static_cast<double>(found[k]), w[k], 1e-3)
                << name_of(set) << ", classes " << classes << ", adagrad " << adagrad << ", l2 " << l2 << ", " << k;
          if (set == isa::scalar) first = found, first_sums = kept;
          EXPECT_TRUE(same_bits(found, first)) << name_of(set) << ", classes " << classes;
          EXPECT_TRUE(same_bits(kept, first_sums)) << name_of(set) << ", classes " << classes;
        }
      }
    }
  }
}

}  // namespace
