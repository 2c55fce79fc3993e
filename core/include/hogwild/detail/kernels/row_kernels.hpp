// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The floats of a column with `factors` factors, > 0: padded with zeros to four, or to a multiple of eight.
constexpr std::size_t fm_width(std::size_t factors) {
  return factors <= 4 ? 4 : (factors + 7) / 8 * 8;
}

/// The parameters of a factorization machine (models/factorization_machine.hpp), or an optimiser's state for each. A
/// row has one score, which the response replaces by the derivative of its loss. Factors are floats or halves.
template <class Factor>
struct fm_arrays_of {
  using floats = fm_arrays_of<float>;

  Factor* factors = nullptr;  ///< `width` for each column
  float* weights = nullptr;   ///< one for each column
  float* bias = nullptr;      ///< one
  std::size_t width = 0;      ///< as returned by fm_width()

  std::size_t scores() const { return 1; }
};
using fm_arrays = fm_arrays_of<float>;

/// The same for a linear model of several classes (models/softmax.hpp). A row has a score for each class.
struct class_arrays {
  using floats = class_arrays;

  float* weights = nullptr;  ///< `classes` for each column
  float* bias = nullptr;     ///< `classes`, or null
  std::size_t classes = 0;   ///< > 0

  std::size_t scores() const { return classes; }
};

/// Replaces the scores of row `row` of the batch by the derivatives of its loss with respect to them; returns whether
/// one is not 0. Called once a row, in order.
struct score_response {
  bool (*derive)(void* context, std::size_t row, float* scores);
  void* context;
};

/// The inner loops of models with several parameters a column, on parameters that nobody else writes meanwhile. Row
/// after row: the scores, the response, then the row's changes, before the next row's scores. l2: sgd divides by 1 +
/// step * fraction after the gradient's change; adagrad adds fraction * w to the gradient. Index is std::uint32_t or
/// std::uint16_t, Value is float or half.
///
/// A machine's factors that are halves are rounded stochastically: up with a probability equal to the distance from the
/// half below, in units of the distance between the two halves. So the error of a change has the mean 0, however small
/// the change is. Below 2^-14, where halves are 2^-24 apart, and from 65504 on, numbers are rounded towards 0;
/// infinities may become NaN.
///
/// All instruction sets give the same bits: products are rounded before they are added.
template <class Arrays, class Index, class Value>
struct row_kernels {
  using batch = row_batch<Index, Value>;

  void (*sgd)(const row_update<Arrays>& update, const batch& rows, const score_response& response);
  /// s += g^2; w -= step * g / sqrt(s + 1e-8), the root with a relative error of at most 2.4e-5; a sum below 0 counts
  /// as the largest number.
  void (*adagrad)(const row_update<Arrays>& update, const batch& rows, const score_response& response);
  /// out[i * scores + k] = score k of row i; changes nothing.
  void (*scores)(const Arrays& from, const batch& rows, float* out);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Arrays, class Index, class Value>
const row_kernels<Arrays, Index, Value>& row_kernels_of(isa set);

extern template const row_kernels<fm_arrays, std::uint32_t, float>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays, std::uint32_t, half>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays, std::uint16_t, float>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays, std::uint16_t, half>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays_of<half>, std::uint32_t, float>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays_of<half>, std::uint32_t, half>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays_of<half>, std::uint16_t, float>& row_kernels_of(isa);
extern template const row_kernels<fm_arrays_of<half>, std::uint16_t, half>& row_kernels_of(isa);
extern template const row_kernels<class_arrays, std::uint32_t, float>& row_kernels_of(isa);
extern template const row_kernels<class_arrays, std::uint32_t, half>& row_kernels_of(isa);
extern template const row_kernels<class_arrays, std::uint16_t, float>& row_kernels_of(isa);
extern template const row_kernels<class_arrays, std::uint16_t, half>& row_kernels_of(isa);

}  // namespace hogwild
