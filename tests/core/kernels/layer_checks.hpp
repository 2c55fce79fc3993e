// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <new>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <hogwild/detail/kernels/layer_kernels.hpp>

#include "support/random_rows.hpp"

namespace hogwild::test {

template <class T>
struct in_lanes {
  using value_type = T;
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* numbers, std::size_t) { ::operator delete(numbers, alignment); }
  bool operator==(const in_lanes&) const = default;

 private:
  static constexpr std::align_val_t alignment{64};
};
/// Numbers aligned to 64 bytes.
using lane_buffer = std::vector<float, in_lanes<float>>;

inline void fill_randomly(std::mt19937_64& random, float* to, std::size_t n) {
  std::uniform_real_distribution<float> any(-0.5f, 0.5f);
  for (std::size_t i = 0; i < n; ++i) to[i] = any(random);
}
inline lane_buffer random_lanes(std::mt19937_64& random, std::size_t n) {
  lane_buffer made(n);
  fill_randomly(random, made.data(), n);
  return made;
}

/// sum of a[i] * b[i].
inline double inner(const lane_buffer& a, const lane_buffer& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// Compares `partials` of a function of `x` with central differences of width 2h, at `checks` random places: all must
/// agree within `bound`.
inline void expect_partials(std::mt19937_64& random, lane_buffer& x, const lane_buffer& partials, float h, double bound,
                            const std::function<double()>& function, std::size_t checks = 40) {
  for (std::size_t check = 0; check < checks; ++check) {
    const std::size_t i = random() % x.size();
    const float before = x[i];
    x[i] = before + h;
    const float above = x[i];
    const double higher = function();
    x[i] = before - h;
    const double lower = function();
    const double width = static_cast<double>(above) - static_cast<double>(x[i]);
    x[i] = before;
    EXPECT_NEAR((higher - lower) / width, static_cast<double>(partials[i]), bound) << "at " << i;
  }
}

/// A linear function y of x, w and b: compares the partials of sum(dy * y) with differences, which are exact but for
/// rounding at any width. weights() adds to what it is given, and so does input() if `input_adds`.
template <class Results, class Input, class Weights>
void expect_linear(std::mt19937_64& random, lane_buffer& x, lane_buffer& w, lane_buffer& b, const lane_buffer& dy,
                   const Results& results, bool input_adds, const Input& input, const Weights& weights) {
  const auto function = [&] {
    lane_buffer y(dy.size());
    results(y);
    return inner(y, dy);
  };
  lane_buffer dx(x.size()), dw(w.size()), db(b.size());
  input(dx);
  weights(dw, db);
  expect_partials(random, x, dx, 0.25f, 1e-3, function);
  expect_partials(random, w, dw, 0.25f, 1e-3, function);
  expect_partials(random, b, db, 0.25f, 1e-3, function);
  lane_buffer again_x = dx, again_w = dw, again_b = db;
  input(again_x);
  weights(again_w, again_b);
  for (std::size_t i = 0; i < dx.size(); ++i) ASSERT_NEAR(again_x[i], (input_adds ? 2 : 1) * dx[i], 1e-4);
  for (std::size_t i = 0; i < dw.size(); ++i) ASSERT_NEAR(again_w[i], 2 * dw[i], 1e-4);
  for (std::size_t i = 0; i < db.size(); ++i) ASSERT_NEAR(again_b[i], 2 * db[i], 1e-4);
}

}  // namespace hogwild::test
