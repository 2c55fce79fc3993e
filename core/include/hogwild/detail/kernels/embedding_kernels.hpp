// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Rows of embeddings are padded to a multiple of this, a cache line, and so are the numbers of sources and targets
/// whose products are stored.
inline constexpr std::size_t embedding_lanes = 16;

/// The least multiple of embedding_lanes that is not below n.
constexpr std::size_t padded_to_lanes(std::size_t n) {
  return (n + embedding_lanes - 1) / embedding_lanes * embedding_lanes;
}

/// The inner loops of a block of sources against targets. A product's right factor lies in panels: panel j holds its
/// columns 16 j .. 16 j + 15, row after row, and panels follow each other. All memory begins on a cache line, and no
/// other thread uses it. Sums add in the order of their terms and fuse each product with its sum, so that all
/// instruction sets give the same bits.
///
/// The losses turn the `n` scores of a source's negative targets, a multiple of 16, into derivatives of the loss with
/// respect to them, and return the derivative with respect to the positive target's score. A score of minus infinity
/// stands for a target that does not count: its derivative is 0.
struct embedding_kernels {
  /// C = A B, or C += A B if `add`. A is `rows` x `depth`: its element (i, p) is a[i * row_stride + p *
  /// column_stride]. B is `depth` x `columns`, in panels; `columns` is a multiple of 16. A row of C begins `apart`
  /// floats behind the one before.
  void (*product)(std::size_t rows, std::size_t columns, std::size_t depth, const float* a, std::size_t row_stride,
                  std::size_t column_stride, const float* b, float* c, std::size_t apart, bool add);
  /// Writes a row of `width` floats as row r of a matrix of `rows` rows in panels.
  void (*into_panels)(const float* row, std::size_t width, std::size_t r, std::size_t rows, float* to);
  /// Writes `count` rows of `width` floats, both multiples of 16, as the columns of a matrix in panels.
  void (*columns_into_panels)(const float* rows, std::size_t count, std::size_t width, float* to);

  /// Rounds n floats of a row, an even number, to n / 2 pairs (bf16_kernels); two rows of n floats to n pairs.
  void (*pairs_of_row)(const float* row, std::size_t n, float* to);
  void (*pairs_of_rows)(const float* first, const float* second, std::size_t n, float* to);

  /// a . b for n floats, a multiple of 16.
  float (*dot)(const float* a, const float* b, std::size_t n);
  /// |a - b|^2, likewise.
  float (*square_of_difference)(const float* a, const float* b, std::size_t n);
  /// Turns n products q . t_k, a multiple of 16, into scores from - |q - t_k|, and sets 1 / |q - t_k| in `inverse`.
  /// `square` is |q|^2, `squares` are |t_k|^2. Rounding may hide a distance below a thousandth of both lengths, so this
  /// is the least.
  void (*distances)(float* products, std::size_t n, float square, const float* squares, float from, float* inverse);
  /// y += factor * x, for n floats.
  void (*add_scaled)(float factor, const float* x, float* y, std::size_t n);

  /// log(1 + sum over k of e^(s_k - p)), with the positive score p.
  float (*softmax)(float* scores, std::size_t n, float positive);
  /// weight * sum over k of log(1 + e^(s_k - p)).
  float (*pairwise)(float* scores, std::size_t n, float positive, float weight);
  /// log(1 + e^-p) + weight * sum over k of log(1 + e^s_k).
  float (*logistic)(float* scores, std::size_t n, float positive, float weight);
  /// weight * sum over k of max(0, margin + s_k - p).
  float (*hinge)(float* scores, std::size_t n, float positive, float margin, float weight);
  /// log(1 + e^-p) + sum over k of a_k log(1 + e^s_k), where a_k is the softmax of temperature * s_k, a constant for
  /// the derivatives (Sun and others, RotatE, 2019, equation 5, with the same weight for both sides).
  float (*self_adversarial)(float* scores, std::size_t n, float positive, float temperature);
  /// How many of n scores, a multiple of 16, are above a bound.
  std::size_t (*count_above)(const float* scores, std::size_t n, float bound);
};

/// The kernels of an instruction set that has_isa() knows, or the widest available.
const embedding_kernels& embedding_kernels_of(isa set);

}  // namespace hogwild
