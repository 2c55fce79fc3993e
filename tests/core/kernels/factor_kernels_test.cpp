// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/factor_kernels.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_rows.hpp"

namespace {

using namespace hogwild;
using hogwild::test::instruction_sets_here;

constexpr std::size_t users = 9, items = 7;

/// All data that a call reads and writes, in float for the kernels and in double for the expected result.
template <class T>
struct factors {
  std::vector<T> user, item, user_bias = std::vector<T>(users), item_bias = std::vector<T>(items);
  std::vector<T> user_sum, item_sum, user_bias_sum = std::vector<T>(users), item_bias_sum = std::vector<T>(items);

  explicit factors(std::size_t width)
      : user(users * width), item(items * width), user_sum(users * width), item_sum(items * width) {}
};

struct setting {
  std::size_t width;
  bool biases, own_l2;
};
void PrintTo(const setting& s, std::ostream* out) {
  *out << "width " << s.width << (s.biases ? " with biases" : "") << (s.own_l2 ? " l2 by row" : "");
}

class factor_kernel : public testing::TestWithParam<setting> {
 protected:
  static constexpr double step = 0.05, mean = 3.5, l2 = 0.1, epsilon = 0.5;

  factor_kernel() {
    const auto fill = [&](std::vector<double>& values) {
      for (double& x : values) x = static_cast<double>(static_cast<float>(uniform_(random_)));
    };
    fill(right.user), fill(right.item), fill(right.user_bias), fill(right.item_bias);
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
            .item_l2 = GetParam().own_l2 ? item_l2.data() : nullptr};
  }

  /// The ratings one after the other, as the formula is written, on `right`.
  void train_right(bool adagrad) {
    const std::size_t width = GetParam().width;
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
      std::vector<double> of_p(width), of_q(width);
      for (std::size_t i = 0; i < width; ++i)
        of_p[i] = d * q[i] + for_user * p[i], of_q[i] = d * p[i] + for_item * q[i];
      change(p, &right.user_sum[r.user * width], of_p);
      change(q, &right.item_sum[r.item * width], of_q);
      if (!GetParam().biases) continue;
      change(&right.user_bias[r.user], &right.user_bias_sum[r.user], {d + for_user * right.user_bias[r.user]});
      change(&right.item_bias[r.item], &right.item_bias_sum[r.item], {d + for_item * right.item_bias[r.item]});
    }
  }

  static void expect_near(const std::vector<float>& found, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), expected[i], 2e-4) << "element " << i;
  }
  void expect_right(const factors<float>& found) const {
    expect_near(found.user, right.user);
    expect_near(found.item, right.item);
    expect_near(found.user_bias, right.user_bias);
    expect_near(found.item_bias, right.item_bias);
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
TEST_P(factor_kernel, sgd_is_the_formula_on_every_instruction_set) {
  const factors<double> start = right;
  train_right(false);
  for (const isa set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(name_of(set)));
    factors<float> found = in_single(start);
    factor_kernels_of(set).sgd(arrays_of(found), ratings.data(), ratings.size());
    expect_right(found);
  }
}

TEST_P(factor_kernel, row_adagrad_is_the_formula_on_every_instruction_set) {
  const factors<double> start = right;
  train_right(true);
  for (const isa set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(name_of(set)));
    factors<float> found = in_single(start);
    const factor_sums sums{found.user_sum.data(), found.item_sum.data(), found.user_bias_sum.data(),
                           found.item_bias_sum.data(), static_cast<float>(epsilon)};
    factor_kernels_of(set).row_adagrad(arrays_of(found), sums, ratings.data(), ratings.size());
    expect_right(found);
    // Only the first element of a row's sums is used.
    for (std::size_t u = 0; u < users; ++u) EXPECT_EQ(found.user_sum[u * GetParam().width + 1], 0.0f);
  }
}

TEST_P(factor_kernel, padding_stays_zero) {
  const std::size_t width = GetParam().width;
  for (std::size_t u = 0; u < users; ++u) right.user[(u + 1) * width - 1] = 0;
  for (std::size_t i = 0; i < items; ++i) right.item[(i + 1) * width - 1] = 0;
  for (const isa set : instruction_sets_here()) {
    factors<float> found = in_single(right);
    factor_kernels_of(set).sgd(arrays_of(found), ratings.data(), ratings.size());
    for (std::size_t u = 0; u < users; ++u) EXPECT_EQ(found.user[(u + 1) * width - 1], 0.0f);
    for (std::size_t i = 0; i < items; ++i) EXPECT_EQ(found.item[(i + 1) * width - 1], 0.0f);
  }
}

INSTANTIATE_TEST_SUITE_P(widths, factor_kernel,
                         testing::Values(setting{16, false, false}, setting{32, false, false}, setting{32, true, false},
                                         setting{32, true, true}, setting{48, true, true}, setting{64, false, true},
                                         setting{112, true, false}));

TEST(factor_kernels, no_ratings_change_nothing) {
  float user[16] = {1}, item[16] = {2};
  for (const isa set : instruction_sets_here()) {
    factor_kernels_of(set).sgd({.users = user, .items = item, .width = 16, .step = 1}, nullptr, 0);
    EXPECT_EQ(user[0], 1.0f);
    EXPECT_EQ(item[0], 2.0f);
  }
}

}  // namespace
