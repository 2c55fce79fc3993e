// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <hogwild/detail/kernels/embedding_kernels.hpp>

#include "kernels/embedding/bf16_forms.hpp"

namespace hogwild::detail {
namespace {

constexpr std::size_t lanes = 16, most_rows = 12;

/// Rows x (16 * Panels) elements of C, all in registers; `a_stride` and `b_stride` lie between panels.
template <std::size_t Rows, std::size_t Panels>
void bf16_tile(std::size_t pairs, const float* a, std::size_t a_stride, const float* b, std::size_t b_stride, float* c,
               std::size_t apart) {
  __m512 sum[Rows][Panels];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < Panels; ++j) sum[i][j] = _mm512_setzero_ps();
  }
  for (std::size_t panel = 0; panel < pairs; panel += lanes, a += a_stride) {
    for (std::size_t p = 0; p < lanes; ++p, b += lanes) {
      __m512bh right[Panels];
#pragma GCC unroll 16
      for (std::size_t j = 0; j < Panels; ++j) right[j] = reinterpret_cast<__m512bh>(_mm512_load_ps(b + j * b_stride));
#pragma GCC unroll 16
      for (std::size_t i = 0; i < Rows; ++i) {
        const auto left = reinterpret_cast<__m512bh>(_mm512_set1_ps(a[i * lanes + p]));
#pragma GCC unroll 16
        for (std::size_t j = 0; j < Panels; ++j) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], left, right[j]);
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < Rows; ++i) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < Panels; ++j) _mm512_store_ps(c + i * apart + j * lanes, sum[i][j]);
  }
}

template <std::size_t Panels>
void bf16_strip(std::size_t rows, std::size_t pairs, const float* a, const float* b, float* c, std::size_t apart) {
  const std::size_t a_stride = padded_to_lanes(rows) * lanes, b_stride = pairs * lanes;
  std::size_t i = 0;
  for (; i + most_rows <= rows; i += most_rows)
    bf16_tile<most_rows, Panels>(pairs, a + i * lanes, a_stride, b, b_stride, c + i * apart, apart);
  for (; i + 4 <= rows; i += 4) bf16_tile<4, Panels>(pairs, a + i * lanes, a_stride, b, b_stride, c + i * apart, apart);
  for (; i < rows; ++i) bf16_tile<1, Panels>(pairs, a + i * lanes, a_stride, b, b_stride, c + i * apart, apart);
}

void bf16_product(std::size_t rows, std::size_t columns, std::size_t pairs, const float* a, const float* b, float* c,
                  std::size_t apart) {
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) bf16_strip<2>(rows, pairs, a, b + j * pairs, c + j, apart);
  if (j < columns) bf16_strip<1>(rows, pairs, a, b + j * pairs, c + j, apart);
}

}  // namespace

constinit const bf16_kernels bf16_by_avx512{"avx512_bf16", bf16_product};

}  // namespace hogwild::detail
