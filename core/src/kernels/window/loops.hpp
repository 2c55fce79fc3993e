// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/window_kernels.hpp>

#include "kernels/lanes.hpp"

// The loops of word windows for vectors of 4, 8 or 16 floats. As in margin/loops.hpp, each instruction set's type
// belongs to its own file.

namespace hogwild::detail {

/// Isa has the vector type `floats`, and `rows`, the number of rows whose scores against six others fit into its
/// registers.
template <class Isa>
class window_loops {
  using lanes = lanes_of<Isa, typename Isa::floats>;
  using floats = typename lanes::floats;
  using words = typename bits_of<floats>::with_sign;
  static constexpr std::size_t lane_count = lanes::lane_count;

  /// Outputs that are processed at once: a window with five negative words has six.
  static constexpr std::size_t columns = 6;

  /// The sums of four vectors' floats.
  static floats4 totals(floats a, floats b, floats c, floats d) {
    const floats4 p = quarter(a), q = quarter(b), r = quarter(c), s = quarter(d);
    const floats4 pq = __builtin_shufflevector(p, q, 0, 1, 4, 5) + __builtin_shufflevector(p, q, 2, 3, 6, 7);
    const floats4 rs = __builtin_shufflevector(r, s, 0, 1, 4, 5) + __builtin_shufflevector(r, s, 2, 3, 6, 7);
    return __builtin_shufflevector(pq, rs, 0, 2, 4, 6) + __builtin_shufflevector(pq, rs, 1, 3, 5, 7);
  }

  /// Computes Rows by Columns scores, all in registers.
  template <std::size_t Rows, std::size_t Columns>
  static void score_block(const float* const* a, const float* b, std::size_t width, float* scores, std::size_t stride) {
    constexpr std::size_t count = Rows * Columns;
    floats sum[(count + 3) / 4 * 4]{};
    for (std::size_t k = 0; k < width; k += lane_count) {
      floats y[Columns];
#pragma GCC unroll 8
      for (std::size_t j = 0; j < Columns; ++j) y[j] = lanes::loaded(b + j * width + k);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < Rows; ++i) {
        const floats x = lanes::loaded(a[i] + k);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < Columns; ++j) sum[i * Columns + j] += x * y[j];
      }
    }
    float out[(count + 3) / 4 * 4];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < count; c += 4) {
      const floats4 four = totals(sum[c], sum[c + 1], sum[c + 2], sum[c + 3]);
      __builtin_memcpy(out + c, &four, sizeof four);
    }
    for (std::size_t i = 0; i < Rows; ++i) {
      for (std::size_t j = 0; j < Columns; ++j) scores[i * stride + j] = out[i * Columns + j];
    }
  }

  template <std::size_t Columns>
  static void score_columns(const float* const* a, std::size_t inputs, const float* b, std::size_t width, float* scores,
                            std::size_t stride) {
    std::size_t i = 0;
    for (; i + Isa::rows <= inputs; i += Isa::rows)
      score_block<Isa::rows, Columns>(a + i, b, width, scores + i * stride, stride);
    for (; i < inputs; ++i) score_block<1, Columns>(a + i, b, width, scores + i * stride, stride);
  }

  /// Calls f.operator()<Columns>(j) for blocks of outputs, Columns of them from the j-th on.
  template <class F>
  static void by_columns(std::size_t outputs, const F& f) {
    std::size_t j = 0;
    for (; j + columns <= outputs; j += columns) f.template operator()<columns>(j);
    switch (outputs - j) {
      case 5:
        return f.template operator()<5>(j);
      case 4:
        return f.template operator()<4>(j);
      case 3:
        return f.template operator()<3>(j);
      case 2:
        return f.template operator()<2>(j);
      case 1:
        return f.template operator()<1>(j);
      default:
        return;
    }
  }

  static void scores(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs, std::size_t width,
                     float* to) {
    by_columns(outputs, [=]<std::size_t Columns>(std::size_t j) {
      score_columns<Columns>(a, inputs, b + j * width, width, to + j, outputs);
    });
  }

  /// e^x for |x| <= 30: x = n ln 2 + r, and a polynomial for (e^r - 1 - r) / r^2, as in vector_exp().
  static floats exponential(floats x) {
    // 1.5 * 2^23 rounds to a whole number, which is then in the low bits.
    const floats to_whole = lanes::splat(12582912.0f);
    const floats shifted = x * 1.44269504f + to_whole;
    const floats n = shifted - to_whole;
    const floats r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    const floats r2 = r * r;
    const floats upper = (1.9790298e-4f * r + 1.3944703e-3f) * r2 + (8.333498e-3f * r + 4.1666295e-2f);
    const floats p = ((upper * r2 + (1.6666666e-1f * r + 0.5f)) * r2 + r) + 1.0f;
    const words power = (reinterpret_cast<words>(shifted) - reinterpret_cast<words>(to_whole)) + 127;
    return p * reinterpret_cast<floats>(power << 23);
  }

  static void slopes(float* at, std::size_t inputs, std::size_t outputs, std::size_t seen) {
    for (std::size_t k = 0; k < inputs * outputs; k += lane_count) {
      floats x = lanes::loaded(at + k);
      x = x > 30.0f ? lanes::splat(30.0f) : x;
      x = x < -30.0f ? lanes::splat(-30.0f) : x;
      lanes::store(at + k, 1.0f / (1.0f + exponential(-x)));
    }
    for (std::size_t j = 0; j < seen; ++j)
      for (std::size_t i = 0; i < inputs; ++i) at[i * outputs + j] -= 1.0f;
  }

  /// One pass over the inputs for each vector of the width; its part of all outputs stays in registers.
  template <std::size_t Columns>
  static void gradient_columns(const float* const* a, std::size_t inputs, const float* b, std::size_t width,
                               const float* slopes, std::size_t stride, float* const* da, float* db) {
    for (std::size_t k = 0; k < width; k += lane_count) {
      floats y[Columns], dy[Columns]{};
#pragma GCC unroll 8
      for (std::size_t j = 0; j < Columns; ++j) y[j] = lanes::loaded(b + j * width + k);
      for (std::size_t i = 0; i < inputs; ++i) {
        const floats x = lanes::loaded(a[i] + k);
        floats even = lanes::loaded(da[i] + k), odd{};
        const float* const g = slopes + i * stride;
#pragma GCC unroll 8
        for (std::size_t j = 0; j < Columns; ++j) {
          const floats slope = lanes::splat(g[j]);
          (j % 2 == 0 ? even : odd) += slope * y[j];
          dy[j] += slope * x;
        }
        lanes::store(da[i] + k, even + odd);
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < Columns; ++j) lanes::store(db + j * width + k, dy[j]);
    }
  }

  static void gradients(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs,
                        std::size_t width, const float* at, float* const* da, float* db) {
    by_columns(outputs, [=]<std::size_t Columns>(std::size_t j) {
      gradient_columns<Columns>(a, inputs, b + j * width, width, at + j, outputs, da, db + j * width);
    });
  }

  /// Calls f.operator()<Strips>(k) for parts of the width: Strips vectors from float k on, which stay in registers
  /// during a pass over rows.
  template <class F>
  static void by_strips(std::size_t width, const F& f) {
    constexpr std::size_t strips = 4;
    std::size_t k = 0;
    for (; k + strips * lane_count <= width; k += strips * lane_count) f.template operator()<strips>(k);
    switch ((width - k) / lane_count) {
      case 3:
        return f.template operator()<3>(k);
      case 2:
        return f.template operator()<2>(k);
      case 1:
        return f.template operator()<1>(k);
      default:
        return;
    }
  }

  static void mean(const float* const* a, std::size_t inputs, std::size_t width, float* to) {
    const floats fraction = lanes::splat(1.0f / static_cast<float>(inputs));
    by_strips(width, [=]<std::size_t Strips>(std::size_t k) {
      floats sum[Strips];
#pragma GCC unroll 8
      for (std::size_t s = 0; s < Strips; ++s) sum[s] = lanes::loaded(a[0] + k + s * lane_count);
      for (std::size_t i = 1; i < inputs; ++i) {
#pragma GCC unroll 8
        for (std::size_t s = 0; s < Strips; ++s) sum[s] += lanes::loaded(a[i] + k + s * lane_count);
      }
#pragma GCC unroll 8
      for (std::size_t s = 0; s < Strips; ++s) lanes::store(to + k + s * lane_count, sum[s] * fraction);
    });
  }

  static void spread(float* const* a, std::size_t inputs, std::size_t width, float factor, const float* run) {
    by_strips(width, [=]<std::size_t Strips>(std::size_t k) {
      floats part[Strips];
#pragma GCC unroll 8
      for (std::size_t s = 0; s < Strips; ++s) part[s] = lanes::loaded(run + k + s * lane_count) * factor;
      for (std::size_t i = 0; i < inputs; ++i) {
#pragma GCC unroll 8
        for (std::size_t s = 0; s < Strips; ++s) {
          float* const at = a[i] + k + s * lane_count;
          lanes::store(at, lanes::loaded(at) + part[s]);
        }
      }
    });
  }

 public:
  static constexpr window_kernels table{scores, slopes, gradients, mean, spread};
};

}  // namespace hogwild::detail
