// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/platform/isa.hpp>

// The inner loops of field-aware factorization machines (models/ffm.hpp).

namespace hogwild {

/// The floats that a column has for each field: `factors`, > 0, padded with zeros to a multiple of four.
constexpr std::size_t field_width(std::size_t factors) {
  return (factors + 3) / 4 * 4;
}

/// An entry of a row for an ffm; entries are in ascending order of fields, without zeros.
struct field_entry {
  std::uint32_t column = 0;  ///< position in the data; distinct within the row
  std::uint32_t field = 0;   ///< counted from 0
  std::uint32_t slot = 0;    ///< index of the field among those of the row
  bool begins = true;        ///< whether it is the first entry of its field,
  bool ends = true;          ///< or the last one: if both, the row has no other entry of its field
  float x = 0.0f;            ///< not 0
};

/// Consecutive fields of a row, without a gap.
struct field_run {
  std::uint32_t field = 0;   ///< the first field
  std::uint32_t slot = 0;    ///< its slot
  std::uint32_t fields = 0;  ///< the number of fields, >= 1
};

struct field_row {
  const field_entry* entry = nullptr;  ///< `entries` entries
  std::size_t entries = 0;
  const field_run* run = nullptr;  ///< `runs` runs, in ascending order of fields; together they cover all slots
  std::size_t runs = 0;
  std::size_t slots = 0;  ///< number of different fields in the row
};

/// The parameters of an ffm, or an optimiser's state for each. Factors are floats or halves.
template <class Factor>
struct field_arrays_of {
  using floats = field_arrays_of<float>;

  Factor* factors = nullptr;  ///< `stride` numbers for each column: `width` for each field
  float* weights = nullptr;   ///< one for each column
  float* bias = nullptr;      ///< one number
  std::size_t width = 0;      ///< as returned by field_width()
  std::size_t stride = 0;     ///< width times the number of fields; rows have no other fields
};
using field_arrays = field_arrays_of<float>;

/// Room for the sums that a row's entries multiply with. With entries x_k and factors v_k, for each slot f there are
/// `slots` blocks of `width` floats; block g is the sum of x_k v_k,f over the entries k of slot g. One more block
/// follows.
constexpr std::size_t field_room(std::size_t slots, std::size_t width) {
  return (slots * slots + 1) * width;
}

/// Nobody else writes the parameters meanwhile, or lost updates are accepted. All instruction sets give the same bits:
/// products are rounded before they are added. Halves are rounded as by row_kernels.
template <class Factor>
struct field_kernels_on {
  using arrays = field_arrays_of<Factor>;

  /// The score of a row; fills `room`, which has field_room() floats, for the row's update.
  float (*score)(const arrays& from, const field_row& row, float* room);
  /// Updates the parameters of the row's columns by the derivative of the loss with respect to the score. `u.room` is
  /// as score() filled it, and the parameters must not have changed since. An entry changes its factors for the fields
  /// of the row's other entries; these, and the weights, take u.l2 as in row_kernels. Meanwhile prefetches the
  /// parameters of the row `next`.
  void (*sgd)(const row_update<arrays>& u, const field_row& row, float slope, const field_row& next);
  /// As adagrad in row_kernels.
  void (*adagrad)(const row_update<arrays>& u, const field_row& row, float slope, const field_row& next);
};

using field_kernels = field_kernels_on<float>;

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Factor = float>
const field_kernels_on<Factor>& field_kernels_of(isa set);

extern template const field_kernels_on<float>& field_kernels_of(isa);
extern template const field_kernels_on<half>& field_kernels_of(isa);

}  // namespace hogwild
