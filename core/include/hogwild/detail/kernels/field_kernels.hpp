// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/platform/isa.hpp>

// The inner loops of field-aware factorization machines (models/ffm.hpp).

namespace hogwild {

/// The floats of a column with so many factors for each field, > 0: padded with zeros to a multiple of four.
constexpr std::size_t field_width(std::size_t factors) {
  return (factors + 3) / 4 * 4;
}

/// A row as an ffm takes it: entries by ascending field, without zeros.
struct field_entry {
  std::uint32_t column = 0;  ///< position in the data; in no other entry of the row
  std::uint32_t field = 0;   ///< counted from 0
  std::uint32_t slot = 0;    ///< place of the field among those of the row
  bool begins = true;        ///< whether it is the first entry of its field,
  bool ends = true;          ///< and whether it is the last one: with both it meets no entry of its own field
  float x = 0.0f;            ///< not 0
};

/// Fields of a row that follow each other without a gap.
struct field_run {
  std::uint32_t field = 0;   ///< the first
  std::uint32_t slot = 0;    ///< of that
  std::uint32_t fields = 0;  ///< how many they are, >= 1
};

struct field_row {
  const field_entry* entry = nullptr;  ///< `entries` of them
  std::size_t entries = 0;
  const field_run* run = nullptr;  ///< `runs` of them, by ascending field; together all slots
  std::size_t runs = 0;
  std::size_t slots = 0;  ///< different fields of the row
};

/// The parameters of an ffm, or what an optimiser keeps of each. Factors are floats or halves.
template <class Factor>
struct field_arrays_of {
  using floats = field_arrays_of<float>;

  Factor* factors = nullptr;  ///< `stride` of each column: `width` for each field
  float* weights = nullptr;   ///< one of each column
  float* bias = nullptr;      ///< one
  std::size_t width = 0;      ///< as field_width() makes it
  std::size_t stride = 0;     ///< width times the fields, of which rows have no others
};
using field_arrays = field_arrays_of<float>;

/// Of a row's entries x_k with factors v_k, the products that other entries' factors meet, summed up by field: for each
/// slot f, `slots` blocks of `width` floats, of which block g is the sum of x_k v_k,f over the entries k of slot g.
/// Behind them is one block more.
constexpr std::size_t field_room(std::size_t slots, std::size_t width) {
  return (slots * slots + 1) * width;
}

/// On parameters that nobody else writes meanwhile, or that may lose what others change. All instruction sets give the
/// same bits: products are rounded before they are added. Halves are rounded as those of row_kernels.
template <class Factor>
struct field_kernels_on {
  using arrays = field_arrays_of<Factor>;

  /// The score of a row; leaves in `room`, of field_room() floats, what its update needs.
  float (*score)(const arrays& from, const field_row& row, float* room);
  /// What the derivative of the loss by the score does to the parameters of the row's columns; `u.room` is what score()
  /// left there, and the parameters are those of then. An entry changes its factors for the fields of other entries of
  /// the row; those, and the weights, take u.l2 as of row_kernels. The parameters of the row `next` are called into the
  /// cache meanwhile.
  void (*sgd)(const row_update<arrays>& u, const field_row& row, float slope, const field_row& next);
  /// As adagrad of row_kernels.
  void (*adagrad)(const row_update<arrays>& u, const field_row& row, float slope, const field_row& next);
};

using field_kernels = field_kernels_on<float>;

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Factor = float>
const field_kernels_on<Factor>& field_kernels_of(isa set);

extern template const field_kernels_on<float>& field_kernels_of(isa);
extern template const field_kernels_on<half>& field_kernels_of(isa);

}  // namespace hogwild
