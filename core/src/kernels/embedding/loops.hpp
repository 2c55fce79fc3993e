// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/vector_math.hpp>

#include "kernels/embedding/products.hpp"
#include "kernels/embedding/rounding.hpp"
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

  static float square_of_difference(const float* a, const float* b, std::size_t n) {
    sums sum;
    for (std::size_t k = 0; k < n; k += lanes) {
      for (std::size_t i = 0; i < lanes; ++i) {
        const float apart = a[k + i] - b[k + i];
        sum.part[i] += apart * apart;
      }
    }
    return sum.total();
  }

  /// 1 / sqrt(x) for a normal number above 0, with a relative error of at most 2e-7: a first guess by the exponent,
  /// then three of Newton's steps. Compilers do not vectorise a loop over square roots, which may set errno.
  static float inverse_root(float x) {
    float y = std::bit_cast<float>(0x5f3759dfu - (std::bit_cast<std::uint32_t>(x) >> 1));
    const float half = 0.5f * x;
    for (int step = 0; step < 3; ++step) y = y * (1.5f - half * y * y);
    return y;
  }

  static void distances(float* products, std::size_t n, float square, const float* squares, float from,
                        float* inverse) {
    for (std::size_t k = 0; k < n; ++k) {
      const float both = square + squares[k], least = 1e-6f * both + 1e-30f;
      const float found = both - (products[k] + products[k]);
      const float apart = found < least ? least : found;
      const float inverted = inverse_root(apart);
      products[k] = from - apart * inverted;
      inverse[k] = inverted;
    }
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
                                           .pairs_of_row = embedding_rounding<Isa>::pairs_of_row,
                                           .pairs_of_rows = embedding_rounding<Isa>::pairs_of_rows,
                                           .dot = dot,
                                           .square_of_difference = square_of_difference,
                                           .distances = distances,
                                           .add_scaled = add_scaled,
                                           .softmax = softmax,
                                           .pairwise = pairwise,
                                           .logistic = logistic,
                                           .hinge = hinge,
                                           .self_adversarial = self_adversarial,
                                           .count_above = count_above};
};

}  // namespace hogwild::detail
