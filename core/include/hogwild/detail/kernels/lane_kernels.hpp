// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The largest number of models side by side.
inline constexpr std::size_t most_lanes = 32;
/// The smallest; the number of models is this, or two or four times this.
inline constexpr std::size_t least_lanes = 8;

/// How rows change models with l1, each with its own strength.
struct lane_proximal {
  const float* slope = nullptr;                     ///< of row i and model k: slope[i * lanes + k]
  const float *step = nullptr, *step_l1 = nullptr;  ///< of each model; step_l1: its step * l1
  const float* step_l2 = nullptr;                   ///< null: none has l2
  const float* part = nullptr;                      ///< for column j: part[j],
  bool part_of_each = false;                        ///< or, if true, for each model: part[j * lanes + k]
};

/// How a row changes models of several classes.
struct lane_classes {
  const float* slope = nullptr;  ///< of class c and model k: slope[c * lanes + k]
  const float* step = nullptr;   ///< l2's factor for column j of model k, left[j * lanes + k]; null: no model has l2
  const float* left = nullptr;   ///< what l2 leaves of column j in model k, left[j * lanes + k]; null: no model has l2
  std::size_t classes = 0;
};

/// How a row changes factorization machines.
struct lane_fm {
  fm_arrays to{};                ///< the parameters of all models: parameter i of model k is at i * lanes + k
  fm_arrays sums{};              ///< adagrad's sums, in the same order; without weights: sgd
  const float* room = nullptr;   ///< as fm_scores() filled it for the row
  const float* slope = nullptr;  ///< of each model
  const float* step = nullptr;   ///< of each model; a model with a step of 0 does not change
  /// l2 of an entry of column j in model k, l2[j * lanes + k]: under sgd the factor of a parameter that remains, under
  /// adagrad the fraction that is added to the gradient; null: no model has l2.
  const float* l2 = nullptr;
};

/// The inner loops of several margin models that read the same rows: lane k is a model of its own. `lanes` is 8, 16 or
/// 32, and model k's weight of column j is w[j * lanes + k]: an entry is read once for all models. `w` begins at a
/// multiple of 64 bytes, with 8 lanes at one of 32. Index is std::uint32_t or std::uint16_t, Value is float or half.
///
/// Each lane gets the same bits as the loops of margin_kernels give for that model alone, on every instruction set,
/// whatever the other lanes hold. Either nobody else writes the weights meanwhile, or lost updates are accepted
/// (Hogwild!).
///
/// Models of several classes have the weight of column j and class c at w[(j * classes + c) * lanes + k], and get the
/// same bits as row_kernels give for them alone. Factorization machines have factor f of column j at w[(j * width + f)
/// * lanes + k], and the weights and the biases after the factors.
template <class Index, class Value>
struct lane_kernels {
  /// out[i * lanes + k] = the dot of row i and model k.
  void (*dots)(const float* w, std::size_t lanes, const row_batch<Index, Value>& rows, float* out);
  /// w[j * lanes + k] += change[i * lanes + k] * x for each entry of row i, row after row; a change of 0 leaves its
  /// lane untouched.
  void (*updates)(float* w, std::size_t lanes, const row_batch<Index, Value>& rows, const float* change);
  /// The same dots, each summed in the order of dot() for a single row (example.hpp).
  void (*row_dots)(const float* w, std::size_t lanes, const row_batch<Index, Value>& rows, float* out);
  /// Row after row, whatever its slope, for each entry x of column j: w[j * lanes + k] becomes
  ///   soft(w - step[k] * slope * x, step_l1[k] * part) / (1 + step_l2[k] * part),
  /// by an add, to the same bits as margin_proximal_step under sgd.
  void (*proximal)(float* w, std::size_t lanes, const row_batch<Index, Value>& rows, const lane_proximal& by);
  /// For one row and each model k: dot[k] becomes the margin scale[k] * dot[k] + bias[k], in single precision; scale[k]
  /// is multiplied by shrink[k], and shrunk[k] is the rounded result.
  void (*margins)(std::size_t lanes, double* scale, const double* shrink, const float* bias, float* dot, float* shrunk);
  /// For one row and each model k: adds -step[k] * slope[k] to moved[k] and sets change[k] to that over shrunk[k].
  /// Returns whether any change is not 0.
  bool (*changes)(std::size_t lanes, const float* step, const float* slope, const float* shrunk, float* moved,
                  float* change);
  /// For models of several classes: out[i * n + c * lanes + k] = the score of row i for class c by model k, n = classes
  /// * lanes. `bias`: n numbers, or null.
  void (*scores)(const float* w, const float* bias, std::size_t n, const row_batch<Index, Value>& rows, float* out);
  /// For one row and each of its entries x: each weight becomes (w - step * (slope * x)) * left.
  void (*class_changes)(float* w, std::size_t lanes, const row_batch<Index, Value>& row, const lane_classes& by);
  /// For factorization machines: out[i * lanes + k] = the score of row i by model k. `room`: 2 * width * lanes floats,
  /// which then hold what fm_changes() needs for the last row.
  void (*fm_scores)(const fm_arrays& w, std::size_t lanes, const row_batch<Index, Value>& rows, float* room,
                    float* out);
  /// For one row: changes each parameter of its columns, and the biases, as sgd or adagrad in row_kernels.
  void (*fm_changes)(std::size_t lanes, const row_batch<Index, Value>& row, const lane_fm& by);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Index, class Value>
const lane_kernels<Index, Value>& lane_kernels_of(isa set);

extern template const lane_kernels<std::uint32_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint32_t, half>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, half>& lane_kernels_of(isa);

}  // namespace hogwild
