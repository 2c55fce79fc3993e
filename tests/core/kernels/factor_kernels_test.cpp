// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/factor_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

constexpr std::size_t users = 9, items = 7;

/// Parameters, or adagrad's sums of them: in float for the kernels and in double for the expected result.
template <class T>
struct factors {
  std::vector<T> user, item, user_bias = std::vector<T>(users), item_bias = std::vector<T>(items);

  explicit factors(std::size_t width) : user(users * width), item(items * width) {}
};

struct setting {
  std::size_t width;
  bool biases, own_l2;
  float full_weight_from = -std::numeric_limits<float>::infinity();
};
void PrintTo(const setting& s, std::ostream* out) {
  *out << "width " << s.width << (s.biases ? " with biases" : "") << (s.own_l2 ? " l2 by row" : "")
       << " all weigh 1 from " << s.full_weight_from;
}

class factor_kernel : public testing::TestWithParam<setting> {
 protected:
  static constexpr double step = 0.05, mean = 3.5, l2 = 0.1, epsilon = 0.5;

  factor_kernel() {
    const auto fill = [&](std::vector<double>& values) {
      for (double& x : values) x = static_cast<double>(static_cast<float>(uniform_(random_)));
    };
    fill(right.user), fill(right.item), fill(right.user_bias), fill(right.item_bias);
    // A factor that is zero in all rows, as padding is, stays zero.
    const std::size_t width = GetParam().width;
    for (std::size_t u = 0; u < users; ++u) right.user[u * width + width / 2] = 0;
    for (std::size_t i = 0; i < items; ++i) right.item[i * width + width / 2] = 0;
    for (std::size_t u = 0; u < users; ++u) user_l2.push_back(static_cast<float>(0.02 * static_cast<double>(u)));
    for (std::size_t i = 0; i < items; ++i) item_l2.push_back(static_cast<float>(0.03 * static_cast<double>(i)));
    for (std::size_t k = 0; k < 300; ++k) {
      ratings.push_back({static_cast<std::uint32_t>(random_() % users), static_cast<std::uint32_t>(random_() % items),
                         static_cast<float>(random_() % 5 + 1)});
    }
  }

  static factors<float> in_single(const factors<double>& from) {
    factors<float> to(GetParam().width);
    to.user.assign(from.user.begin(), from.user.end());
    to.item.assign(from.item.begin(), from.item.end());
    to.user_bias.assign(from.user_bias.begin(), from.user_bias.end());
    to.item_bias.assign(from.item_bias.begin(), from.item_bias.end());
    return to;
  }

  factor_arrays arrays_of(factors<float>& f) const {
    return {.users = f.user.data(),
            .items = f.item.data(),
            .user_bias = GetParam().biases ? f.user_bias.data() : nullptr,
            .item_bias = GetParam().biases ? f.item_bias.data() : nullptr,
            .width = GetParam().width,
            .mean = static_cast<float>(mean),
            .step = static_cast<float>(step),
            .l2 = static_cast<float>(l2),
            .user_l2 = GetParam().own_l2 ? user_l2.data() : nullptr,
            .item_l2 = GetParam().own_l2 ? item_l2.data() : nullptr,
            .full_weight_from = GetParam().full_weight_from};
  }

  /// Trains the ratings one after the other by the formula, on `right`.
  void train_right(bool adagrad) {
    const std::size_t width = GetParam().width;
    factors<double> sums(width);
    const auto change = [&](double* w, double* sum, const std::vector<double>& g) {
      double squares = 0;
      for (const double x : g) squares += x * x;
      if (adagrad) *sum += squares / static_cast<double>(g.size());
      const double size = adagrad ? step / std::sqrt(*sum + epsilon) : step;
      for (std::size_t i = 0; i < g.size(); ++i) w[i] -= size * g[i];
    };
    for (const rating& r : ratings) {
      double* const p = &right.user[r.user * width];
      double* const q = &right.item[r.item * width];
      const double for_user = GetParam().own_l2 ? static_cast<double>(user_l2[r.user]) : l2;
      const double for_item = GetParam().own_l2 ? static_cast<double>(item_l2[r.item]) : l2;
      double d = mean - static_cast<double>(r.value);
      for (std::size_t i = 0; i < width; ++i) d += p[i] * q[i];
      if (GetParam().biases) d += right.user_bias[r.user] + right.item_bias[r.item];
      d *= std::exp(0.75 * std::min(static_cast<double>(r.value - GetParam().full_weight_from), 0.0));
      std::vector<double> of_p(width), of_q(width);
      for (std::size_t i = 0; i < width; ++i)
        of_p[i] = d * q[i] + for_user * p[i], of_q[i] = d * p[i] + for_item * q[i];
      change(p, &sums.user[r.user * width], of_p);
      change(q, &sums.item[r.item * width], of_q);
      if (!GetParam().biases) continue;
      change(&right.user_bias[r.user], &sums.user_bias[r.user], {d + for_user * right.user_bias[r.user]});
      change(&right.item_bias[r.item], &sums.item_bias[r.item], {d + for_item * right.item_bias[r.item]});
    }
  }

  void expect_right(const factors<float>& found) const {
    expect_near(found.user, right.user, 2e-4);
    expect_near(found.item, right.item, 2e-4);
    expect_near(found.user_bias, right.user_bias, 2e-4);
    expect_near(found.item_bias, right.item_bias, 2e-4);
  }

  factors<double> right{GetParam().width};
  std::vector<float> user_l2, item_l2;
  std::vector<rating> ratings;

 private:
  std::mt19937_64 random_{17};
  std::uniform_real_distribution<double> uniform_{-0.3, 0.3};
};

// Numbers stay below 5. A rating rounds each of them a few times, and its dot of at most 112 products below 1 by at
// most 112 * 2^-24 * 112 (Higham, Accuracy and Stability, 3.5) = 8e-4 in the worst case and sqrt(112) * 2^-24 in the
// usual one; times step and factors below 1 that is 1e-7 a rating. A row has 60 ratings, and l2 and the fitted errors
// damp the errors: 1e-5. The bound is twenty times as much.
TEST_P(factor_kernel, is_the_formula_on_every_instruction_set) {
  const factors<double> start = right;
  for (const bool adagrad : {false, true}) {
    right = start;
    train_right(adagrad);
    for (const isa set : instruction_sets_here()) {
      SCOPED_TRACE(std::string(name_of(set)) + (adagrad ? ", row_adagrad" : ", sgd"));
      if (!adagrad) {
        factors<float> found = in_single(start);
        factor_kernels_of(set).sgd(arrays_of(found), ratings.data(), ratings.size());
        expect_right(found);
        continue;
      }
      for (const std::size_t apart : {std::size_t{1}, GetParam().width}) {
        factors<float> found = in_single(start), sums(GetParam().width);
        factor_kernels_of(set).row_adagrad(arrays_of(found),
                                           {sums.user.data(), sums.item.data(), sums.user_bias.data(),
                                            sums.item_bias.data(), apart, static_cast<float>(epsilon)},
                                           ratings.data(), ratings.size());
        expect_right(found);
        for (std::size_t k = 0; k < sums.user.size(); ++k)
          EXPECT_TRUE(sums.user[k] == 0.0f || (k % apart == 0 && k / apart < users)) << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(widths, factor_kernel,
                         testing::Values(setting{16, false, false}, setting{32, false, false}, setting{32, true, false},
                                         setting{32, true, true}, setting{48, true, true}, setting{64, false, true},
                                         setting{112, true, false}, setting{32, true, true, 3.0f},
                                         setting{112, true, false, 9.0f}));

TEST(factor_kernels, no_ratings_change_nothing) {
  float user[16] = {1}, item[16] = {2};
  for (const isa set : instruction_sets_here()) {
    factor_kernels_of(set).sgd({.users = user, .items = item, .width = 16, .step = 1}, nullptr, 0);
    EXPECT_EQ(user[0], 1.0f);
    EXPECT_EQ(item[0], 2.0f);
  }
}

}  // namespace
