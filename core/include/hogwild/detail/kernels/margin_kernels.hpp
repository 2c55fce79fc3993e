// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The largest number of a model's columns for `steps`: as many floats as half of AVX-512's registers hold.
inline constexpr std::size_t register_columns = 128;

/// Returns how much row `row` of the batch, whose dot with the model is `dot`, changes the model: w += c * x for the
/// returned c; 0: no change. `steps` calls it once a row, in order.
struct row_response {
  float (*change)(void* context, std::size_t row, float dot);
  void* context;
};

/// The parameters of a margin model, or adagrad's sums for them.
struct margin_arrays {
  using floats = margin_arrays;

  float* weights = nullptr;  ///< one for each column
  float* bias = nullptr;     ///< one, or null
};

/// How rows change a margin model under momentum or adam, whose state decays in all columns at each row. A column that
/// a row does not have is owed that row's step until it is next read; block_optimizer.hpp gives the steps.
struct fading_update {
  float* weights = nullptr;  ///< one for each column, then the bias if any; the same for the three arrays below
  float* first = nullptr;    ///< momentum: velocities; adam: means of partials
  float* second = nullptr;   ///< adam: means of their squares
  float* steps = nullptr;    ///< adam: number of steps that a parameter has made
  std::size_t columns = 0;
  bool bias = false;
  std::uint32_t now = 0;             ///< number of rows before these
  std::uint32_t* settled = nullptr;  ///< for each column: the number of rows whose steps it has made, <= now
  const float* l2_of = nullptr;      ///< for each column: the fraction of l2 that an entry takes; null: none
  float step = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0;
  float least_square = 0;  ///< adam: this times the squared mean is a lower bound of the mean of squares
};

/// The inner loops of margin models, on parameters that nobody else writes meanwhile. Index is std::uint32_t or
/// std::uint16_t, Value is float or half.
///
/// All instruction sets give the same bits. Products are rounded before they are added. A dot adds entry k to sum k %
/// 8, then adds the sums in pairs, then the remaining entries, fewer than eight.
template <class Index, class Value>
struct margin_kernels {
  /// out[i] = sum of w[j] * x over row i.
  void (*dots)(const float* w, const row_batch<Index, Value>& rows, float* out);
  /// w[j] += change[i] * x, row after row; a row of change 0 is skipped.
  void (*updates)(float* w, const row_batch<Index, Value>& rows, const float* change);
  /// Row after row: the dot, the response, the update before the next row's dot, as plain sgd inside the batch. For
  /// models of at most register_columns parameters, with every index below `columns`. The parameters stay in registers
  /// over the batch, or in the nearest cache if registers are too few. Each row waits for the one before it. With the
  /// logistic loss, dots and updates take a third of the time; use them if a row may see a model that is up to 16 rows
  /// old.
  void (*steps)(float* w, std::size_t columns, const row_batch<Index, Value>& rows, const row_response& response);
  /// Row after row under adagrad: the dot and the bias, the derivative c with respect to their sum, which `response`
  /// returns, and for each entry g = c * x + fraction * w, s += g^2, w -= step * g / sqrt(s + 1e-8). The root has a
  /// relative error of at most 2.4e-5; a sum below 0 counts as the largest number. The bias likewise, without l2.
  /// Nothing changes if c and l2 are 0.
  void (*adagrad)(const row_update<margin_arrays>& update, const row_batch<Index, Value>& rows,
                  const row_response& response);
  /// Row after row under momentum or adam: the steps that the row's columns are owed, the dot and the bias, the
  /// derivative c with respect to their sum, which `response` returns, and the step by c * x + fraction * w. If c and
  /// l2 are 0, the row's columns remain owed its step. The bias makes a step in each row. Roots have a relative error
  /// of at most 2.4e-5.
  struct fading {
    void (*rows)(const fading_update& update, const row_batch<Index, Value>& rows, const row_response& response);
    /// Makes all steps that columns are owed.
    void (*settle)(const fading_update& update);
  };
  fading momentum, adam;
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Index, class Value>
const margin_kernels<Index, Value>& kernels_of(isa set);

extern template const margin_kernels<std::uint32_t, float>& kernels_of(isa);
extern template const margin_kernels<std::uint32_t, half>& kernels_of(isa);
extern template const margin_kernels<std::uint16_t, float>& kernels_of(isa);
extern template const margin_kernels<std::uint16_t, half>& kernels_of(isa);

}  // namespace hogwild
