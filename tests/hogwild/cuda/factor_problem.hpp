// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <span>
#include <vector>

#include "kernels/factor_rows.hpp"

namespace hogwild::test {

/// How ratings are trained, besides the ratings.
struct factor_training {
  std::uint32_t width;
  bool bias = false, by_degree = false, row_adagrad = false;
};
inline void PrintTo(const factor_training& t, std::ostream* out) {
  *out << "width " << t.width << (t.bias ? ", biases" : "") << (t.by_degree ? ", l2 by degree" : "")
       << (t.row_adagrad ? ", row_adagrad" : "");
}

/// They include all widths for which kernels have code of their own.
inline constexpr factor_training factor_trainings[] = {
    {.width = 16, .bias = true},
    {.width = 32},
    {.width = 32, .bias = true, .by_degree = true},
    {.width = 48, .by_degree = true},
    {.width = 64, .bias = true},
    {.width = 80, .bias = true},
    {.width = 96, .by_degree = true},
    {.width = 112},
    {.width = 128, .bias = true, .by_degree = true},
    {.width = 144, .bias = true},
    {.width = 16, .row_adagrad = true},
    {.width = 48, .bias = true, .row_adagrad = true},
    {.width = 64, .bias = true, .by_degree = true, .row_adagrad = true},
    {.width = 128, .bias = true, .row_adagrad = true},
    {.width = 272, .bias = true, .by_degree = true, .row_adagrad = true}};

/// Random ratings, initial weights, and the result of serial training in double precision. Rows are at most 1 long,
/// biases between -1 and 1, errors below 6.
class factor_problem {
 public:
  static constexpr std::size_t users = 30, items = 20, columns = users + items;

  factor_problem(std::mt19937_64& random, std::size_t ratings, const factor_training& training)
      : training_(training), degree_(columns) {
    for (std::size_t k = 0; k < ratings; ++k) {
      const rating r{static_cast<std::uint32_t>(random() % users), static_cast<std::uint32_t>(random() % items),
                     static_cast<float>(random() % 5 + 1)};
      ratings_.push_back(r);
      ++degree_[r.user];
      ++degree_[users + r.item];
    }
    // The sum and weight of a bias have a place even without biases; nothing may change them then.
    std::uniform_real_distribution<float> any(-1.0f, 1.0f), positive(0.1f, 1.0f);
    for (std::size_t j = 0; j < columns * (training.width + 1); ++j) {
      const bool of_row = j < columns * training.width;
      weights.push_back(any(random) / (of_row ? std::sqrt(static_cast<float>(training.width)) : 1.0f));
      sums.push_back(positive(random));
    }
  }

  /// All ratings, on `weights` and `sums`.
  device::factor_work work() {
    return {.ratings = ratings_.data(),
            .count = ratings_.size(),
            .weights = weights.data(),
            .sums = training_.row_adagrad ? sums.data() : nullptr,
            .users = users,
            .columns = columns,
            .width = training_.width,
            .bias = training_.bias,
            .mean = mean,
            .step = step,
            .l2 = l2,
            .degree = training_.by_degree ? degree_.data() : nullptr,
            .l2_rows = l2_rows,
            .epoch_step = epoch_step};
  }

  struct result {
    std::vector<double> weights, sums;
  };

  /// The weights and sums after the ratings of `order`, one after the other.
  result trained(std::span<const std::size_t> order) const {
    result to{{weights.begin(), weights.end()}, {sums.begin(), sums.end()}};
    for (const std::size_t k : order) train(to, ratings_[k]);
    return to;
  }
  result trained() const {
    std::vector<std::size_t> order(ratings_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return trained(order);
  }

  std::vector<float> weights, sums;

 private:
  static constexpr float mean = 3.25f, step = 0.03f, epoch_step = 0.05f, l2 = 0.04f, l2_rows = 0.5f;

  double l2_of(std::size_t column) const {
    if (!training_.by_degree) return static_cast<double>(l2);
    const double fraction = static_cast<double>(l2_rows) / degree_[column];
    return fraction / (1 + static_cast<double>(epoch_step) * fraction);
  }

  /// w -= step * g, or under row_adagrad by the sum of mean squares that stands in the row's first place.
  void descend(result& to, std::size_t at, const std::vector<double>& g) const {
    double size = static_cast<double>(step);
    if (training_.row_adagrad) {
      for (const double x : g) to.sums[at] += x * x / static_cast<double>(g.size());
      size /= std::sqrt(to.sums[at] + 1e-8);
    }
    for (std::size_t i = 0; i < g.size(); ++i) to.weights[at + i] -= size * g[i];
  }

  void train(result& to, const rating& r) const {
    const std::size_t width = training_.width, user = r.user, item = users + r.item, biases = columns * width;
    const double* const w = to.weights.data();
    double error = static_cast<double>(mean) - static_cast<double>(r.value);
    if (training_.bias) error += w[biases + user] + w[biases + item];
    for (std::size_t i = 0; i < width; ++i) error += w[user * width + i] * w[item * width + i];
    const double for_user = l2_of(user), for_item = l2_of(item);
    std::vector<double> of_user(width), of_item(width);
    for (std::size_t i = 0; i < width; ++i) {
      const double p = w[user * width + i], q = w[item * width + i];
      of_user[i] = error * q + for_user * p;
      of_item[i] = error * p + for_item * q;
    }
    descend(to, user * width, of_user);
    descend(to, item * width, of_item);
    if (!training_.bias) return;
    descend(to, biases + user, {error + for_user * w[biases + user]});
    descend(to, biases + item, {error + for_item * w[biases + item]});
  }

  factor_training training_;
  std::vector<rating> ratings_;
  std::vector<std::uint32_t> degree_;
};

/// They include all widths for which kernels have code of their own.
inline constexpr factor_training half_factor_trainings[] = {{.width = 16, .bias = true},
                                                            {.width = 32, .by_degree = true},
                                                            {.width = 48},
                                                            {.width = 64, .bias = true, .by_degree = true},
                                                            {.width = 128, .bias = true},
                                                            {.width = 128},
                                                            {.width = 146, .bias = true}};

/// A factor_problem whose factors are rounded to halves and stored as such. Its floats are the halves' values when they
/// were last read, and its biases are trained.
struct half_factor_problem {
  half_factor_problem(std::mt19937_64& random, std::size_t ratings, const factor_training& training)
      : floats(random, ratings, training), halves(factor_problem::columns * training.width / 2) {
    for (std::size_t k = 0; k < halves.size(); ++k)
      halves[k] = device::to_half_pair(floats.weights[2 * k], floats.weights[2 * k + 1]);
    read_halves();
  }

  std::size_t halves_count() const { return 2 * halves.size(); }
  void read_halves() {
    for (std::size_t j = 0; j < halves_count(); ++j)
      floats.weights[j] = device::number_of(halves[j / 2], static_cast<unsigned>(j % 2));
  }
  device::factor_work work() {
    device::factor_work work = floats.work();
    work.halves = halves.data();
    return work;
  }

  factor_problem floats;
  std::vector<device::half_pair> halves;
};

}  // namespace hogwild::test
