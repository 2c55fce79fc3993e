// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/vector_math.hpp>

#include "kernels/embedding/products.hpp"
#include "kernels/vectors.hpp"

namespace hogwild::detail {

/// The loops of embedding_kernels. Isa is as in embedding/products.hpp. Sums over scores have sixteen parts, whatever
/// the vectors.
template <class Isa>
class embedding_loops {
  static constexpr std::size_t lanes = embedding_lanes;

  /// Sixteen sums side by side.
  struct sums {
    float part[lanes] = {};

    float total() const {
      float four[4];
      for (std::size_t i = 0; i < 4; ++i) four[i] = (part[i] + part[i + 8]) + (part[i + 4] + part[i + 12]);
      return (four[0] + four[2]) + (four[1] + four[3]);
    }
  };

  static float dot(const float* a, const float* b, std::size_t n) {
    sums sum;
    for (std::size_t k = 0; k < n; k += lanes)
      for (std::size_t i = 0; i < lanes; ++i) sum.part[i] += a[k + i] * b[k + i];
    return sum.total();
  }

  static void add_scaled(float factor, const float* x, float* y, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) y[k] += factor * x[k];
  }

  /// Replaces each score by f(score); returns the sum of the results.
  template <class F>
  static float replace(float* scores, std::size_t n, const F& f) {
    sums sum;
    for (std::size_t k = 0; k < n; k += lanes) {
      for (std::size_t i = 0; i < lanes; ++i) {
        const float y = f(scores[k + i]);
        scores[k + i] = y;
        sum.part[i] += y;
      }
    }
    return sum.total();
  }

  static float largest(const float* scores, std::size_t n) {
    using floats = typename Isa::widest;
    constexpr std::size_t count = sizeof(floats) / sizeof(float);
    floats most = loaded<floats>(scores);
    for (std::size_t k = count; k < n; k += count) {
      const floats next = loaded<floats>(scores + k);
      most = most < next ? next : most;
    }
    float all = most[0];
    for (std::size_t i = 1; i < count; ++i) all = all < most[i] ? most[i] : all;
    return all;
  }

  static float sigmoid(float x) { return 1.0f / (1.0f + vector_exp(-x)); }

  static float softmax(float* scores, std::size_t n, float positive) {
    // Relative to the largest of all, the positive one included, nothing overflows.
    const float top = largest(scores, n), shift = top > positive ? top : positive;
    const float first = vector_exp(positive - shift);
    const float total = first + replace(scores, n, [=](float s) { return vector_exp(s - shift); });
    const float part = 1.0f / total;
    for (std::size_t k = 0; k < n; ++k) scores[k] *= part;
    return first * part - 1.0f;
  }

  static float pairwise(float* scores, std::size_t n, float positive, float weight) {
    return -replace(scores, n, [=](float s) { return weight * sigmoid(s - positive); });
  }

  static float logistic(float* scores, std::size_t n, float positive, float weight) {
    replace(scores, n, [=](float s) { return weight * sigmoid(s); });
    return sigmoid(positive) - 1.0f;
  }

  static float hinge(float* scores, std::size_t n, float positive, float margin, float weight) {
    const float bound = positive - margin;
    return -replace(scores, n, [=](float s) { return s > bound ? weight : 0.0f; });
  }

  static float self_adversarial(float* scores, std::size_t n, float positive, float temperature) {
    const float top = largest(scores, n);
    const float shift = top > -3e38f ? temperature * top : 0.0f;
    sums sum;
    for (std::size_t k = 0; k < n; k += lanes)
      for (std::size_t i = 0; i < lanes; ++i) sum.part[i] += vector_exp(temperature * scores[k + i] - shift);
    const float total = sum.total(), part = total > 0.0f ? 1.0f / total : 0.0f;
    for (std::size_t k = 0; k < n; ++k)
      scores[k] = part * vector_exp(temperature * scores[k] - shift) * sigmoid(scores[k]);
    return sigmoid(positive) - 1.0f;
  }

  static std::size_t count_above(const float* scores, std::size_t n, float bound) {
    std::uint32_t counts[lanes] = {};
    for (std::size_t k = 0; k < n; k += lanes)
      for (std::size_t i = 0; i < lanes; ++i) counts[i] += scores[k + i] > bound ? 1u : 0u;
    std::size_t all = 0;
    for (const std::uint32_t count : counts) all += count;
    return all;
  }

 public:
  static constexpr embedding_kernels table{.product = embedding_products<Isa>::product,
                                           .into_panels = embedding_products<Isa>::into_panels,
                                           .columns_into_panels = embedding_products<Isa>::columns_into_panels,
                                           .dot = dot,
                                           .add_scaled = add_scaled,
                                           .softmax = softmax,
                                           .pairwise = pairwise,
                                           .logistic = logistic,
                                           .hinge = hinge,
                                           .self_adversarial = self_adversarial,
                                           .count_above = count_above};
};

}  // namespace hogwild::detail
