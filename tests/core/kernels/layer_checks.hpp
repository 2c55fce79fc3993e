// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include <gtest/gtest.h>

namespace hogwild::test {

/// Numbers from a multiple of 64 bytes on.
class lane_buffer {
 public:
  explicit lane_buffer(std::size_t n) : memory_(n + 16), size_(n) {
    void* begin = memory_.data();
    std::size_t room = memory_.size() * sizeof(float);
    begin_ = static_cast<float*>(std::align(64, n * sizeof(float), begin, room));
  }
  lane_buffer(const lane_buffer& other) : lane_buffer(other.size_) { *this = other; }
  lane_buffer& operator=(const lane_buffer& other) {
    for (std::size_t i = 0; i < size_; ++i) begin_[i] = other.begin_[i];
    return *this;
  }

  float* data() { return begin_; }
  const float* data() const { return begin_; }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return begin_[i]; }
  float operator[](std::size_t i) const { return begin_[i]; }

 private:
  std::vector<float> memory_;
  float* begin_;
  std::size_t size_;
};

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

inline std::vector<isa> layer_isas() {
  std::vector<isa> sets;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    if (has_isa(set)) sets.push_back(set);
  return sets;
}

}  // namespace hogwild::test
