// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/kernels/pairwise_kernels.hpp>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness.hpp"

namespace {

using namespace hogwild;
using namespace hogwild::test;

/// Rows of 6 users and 8 items and the biases of items, or adagrad's sums of them.
template <class T>
struct pair_arrays {
  static constexpr std::size_t users = 6, items = 8;
  std::vector<T> user, item, bias = std::vector<T>(items);

  explicit pair_arrays(std::size_t width) : user(users * width), item(items * width) {}
};

struct pair_case {
  std::size_t width;
  bool biases, adagrad;
};

constexpr double pair_step = 0.05, pair_l2 = 0.1, pair_epsilon = 0.5;

/// Trains the pairs one after the other by the formula.
void train_in_double(const pair_case& of, const std::vector<compared_pair>& pairs, pair_arrays<double>& w) {
  pair_arrays<double> sums(of.width);
  const auto change = [&](double* row, double* sum, const std::vector<double>& g) {
    double squares = 0.0, size = pair_step;
    for (const double x : g) squares += x * x;
    *sum += squares / static_cast<double>(g.size());
    if (of.adagrad) size /= std::sqrt(*sum + pair_epsilon);
    for (std::size_t k = 0; k < g.size(); ++k) row[k] -= size * g[k];
  };
  for (const compared_pair& c : pairs) {
    double* const p = &w.user[c.user * of.width];
    double* const a = &w.item[c.item * of.width];
    double* const b = &w.item[c.other * of.width];
    double x = of.biases ? w.bias[c.item] - w.bias[c.other] : 0.0;
    for (std::size_t k = 0; k < of.width; ++k) x += p[k] * (a[k] - b[k]);
    const double pull = static_cast<double>(c.weight) / (1.0 + std::exp(x));
    std::vector<double> user(of.width), item(of.width), other(of.width);
    for (std::size_t k = 0; k < of.width; ++k) {
      user[k] = pair_l2 * p[k] - pull * (a[k] - b[k]);
      item[k] = pair_l2 * a[k] - pull * p[k];
      other[k] = pair_l2 * b[k] + pull * p[k];
    }
    change(p, &sums.user[c.user * of.width], user);
    change(a, &sums.item[c.item * of.width], item);
    change(b, &sums.item[c.other * of.width], other);
    if (!of.biases) continue;
    const double down = pair_l2 * w.bias[c.item] - pull, up = pair_l2 * w.bias[c.other] + pull;
    change(&w.bias[c.item], &sums.bias[c.item], {down});
    change(&w.bias[c.other], &sums.bias[c.other], {up});
  }
}

TEST(pairwise_kernels, train_pairs_one_after_the_other_by_the_formula) {
  for (const std::size_t width : {16u, 32u, 48u, 64u, 128u, 144u}) {
    for (const bool biases : {false, true}) {
      for (const bool adagrad : {false, true}) {
        const pair_case of{width, biases, adagrad};
        std::mt19937_64 random(width);
        pair_arrays<float> begin(width);
        begin.user = random_numbers(random, begin.user.size());
        begin.item = random_numbers(random, begin.item.size());
        begin.bias = random_numbers(random, begin.bias.size());
        std::vector<compared_pair> pairs;
        for (std::size_t k = 0; k < 150; ++k) {
          const auto item = static_cast<std::uint32_t>(random() % begin.items);
          pairs.push_back({static_cast<std::uint32_t>(random() % begin.users), item,
                           static_cast<std::uint32_t>((item + 1 + random() % (begin.items - 1)) % begin.items),
                           k % 7 == 0 ? 2.0f : 1.0f});
        }
        pair_arrays<double> right(width);
        right.user.assign(begin.user.begin(), begin.user.end());
        right.item.assign(begin.item.begin(), begin.item.end());
        right.bias.assign(begin.bias.begin(), begin.bias.end());
        train_in_double(of, pairs, right);

        for (const isa set : instruction_sets_here()) {
          SCOPED_TRACE(std::string(name_of(set)) + ", width " + std::to_string(width) + (biases ? ", biases" : "") +
                       (adagrad ? ", row_adagrad" : ", sgd"));
          pair_arrays<float> found = begin, sums(width);
          const factor_arrays to{.users = found.user.data(),
                                 .items = found.item.data(),
                                 .item_bias = biases ? found.bias.data() : nullptr,
                                 .width = width,
                                 .step = static_cast<float>(pair_step),
                                 .l2 = static_cast<float>(pair_l2)};
          const pairwise_kernels& kernels = pairwise_kernels_of(set);
          if (adagrad)
            kernels.row_adagrad(to,
                                {sums.user.data(), sums.item.data(), nullptr, biases ? sums.bias.data() : nullptr,
                                 biases ? 1 : width, static_cast<float>(pair_epsilon)},
                                pairs.data(), pairs.size());
          else
            kernels.sgd(to, pairs.data(), pairs.size());
          expect_near(found.user, right.user, 2e-5);
          expect_near(found.item, right.item, 2e-5);
          expect_near(found.bias, right.bias, 2e-5);
        }
      }
    }
  }
}

}  // namespace
