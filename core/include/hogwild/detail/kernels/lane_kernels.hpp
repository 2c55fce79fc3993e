// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The most models that lie side by side.
inline constexpr std::size_t most_lanes = 32;
/// There are so many, or two or four times as many.
inline constexpr std::size_t least_lanes = 8;

/// What rows change of models with l1, each of its own strength.
struct lane_proximal {
  const float* slope = nullptr;                     ///< of row i and model k: slope[i * lanes + k]
  const float *step = nullptr, *step_l1 = nullptr;  ///< of each model; step_l1: its step * l1
  const float* step_l2 = nullptr;                   ///< null: none has l2
  const float* part = nullptr;                      ///< of column j part[j],
  bool part_of_each = false;                        ///< or of each model part[j * lanes + k]
};

/// What a row changes of models of several classes.
struct lane_classes {
  const float* slope = nullptr;  ///< of class c and model k: slope[c * lanes + k]
  const float* step = nullptr;   ///< of each model; what has a step of 0 stays as it is
  const float* left = nullptr;   ///< of column j and model k what l2 leaves, left[j * lanes + k]; null: none has l2
  std::size_t classes = 0;
};

/// What a row changes of factorization machines.
struct lane_machines {
  machine_arrays to{};           ///< the parameters of all models: number i of one is `lanes` numbers from i * lanes on
  machine_arrays sums{};         ///< of adagrad, as they lie; without weights: sgd
  const float* room = nullptr;   ///< what machine_scores() has left of the row
  const float* slope = nullptr;  ///< of each model
  const float* step = nullptr;   ///< of each model; what has a step of 0 stays as it is
  /// Of column j and model k what an entry takes of l2, l2[j * lanes + k]: under sgd what it leaves of a parameter,
  /// under adagrad the fraction that joins the gradient; null: none has l2.
  const float* l2 = nullptr;
};

/// The inner loops of several margin models that read the same rows: lane k is a model of its own. `lanes` is 8, 16 or
/// 32, and model k's weight of column j is w[j * lanes + k]: an entry is read once for all models. `w` begins at a
/// multiple of 64 bytes, of 8 lanes at one of 32. Index is std::uint32_t or std::uint16_t, Value is float or half.
///
/// Each lane has the bits that the loops of margin_kernels make of that model alone, on every instruction set, whatever
/// stands in the other lanes. Nobody else writes the weights meanwhile, or overtaken updates are what was asked for
/// (Hogwild!).
///
/// Models of several classes have the weight of column j and class c at w[(j * classes + c) * lanes + k], and the bits
/// that row_kernels make of them alone; factorization machines have factor f of column j at w[(j * width + f) * lanes +
/// k], and the weights and the biases behind the factors.
template <class Index, class Value>
struct lane_kernels {
  /// out[i * lanes + k] = the dot of row i and model k.
  void (*dots)(const float* w, std::size_t lanes, const row_batch<Index, Value>& rows, float* out);
  /// w[j * lanes + k] += change[i * lanes + k] * x for each entry of row i, row after row; a row does not touch a lane
  /// of which its change is 0.
  void (*updates)(float* w, std::size_t lanes, const row_batch<Index, Value>& rows, const float* change);
  /// The same dots, each added up as dot() of a single row does it (example.hpp).
  void (*row_dots)(const float* w, std::size_t lanes, const row_batch<Index, Value>& rows, float* out);
  /// Row after row, whatever its slope, for each entry x of column j: w[j * lanes + k] becomes
  ///   soft(w - step[k] * slope * x, step_l1[k] * part) / (1 + step_l2[k] * part),
  /// by an add, to the bits of margin_proximal_step under sgd.
  void (*proximal)(float* w, std::size_t lanes, const row_batch<Index, Value>& rows, const lane_proximal& by);
  /// Of one row and each model k: dot[k] becomes the margin scale[k] * dot[k] + bias[k], in single precision; scale[k]
  /// is multiplied by shrink[k], and what it is then, rounded, is shrunk[k].
  void (*margins)(std::size_t lanes, double* scale, const double* shrink, const float* bias, float* dot, float* shrunk);
  /// Of one row and each model k: -step[k] * slope[k] is added to moved[k], and change[k] becomes that over shrunk[k].
  /// Whether any of them is not 0.
  bool (*changes)(std::size_t lanes, const float* step, const float* slope, const float* shrunk, float* moved,
                  float* change);
  /// Of models of several classes: out[i * n + c * lanes + k] = the score of row i for class c by model k, n = classes
  /// * lanes. `bias`: n, or null where there are none.
  void (*scores)(const float* w, const float* bias, std::size_t n, const row_batch<Index, Value>& rows, float* out);
  /// Of one row, for each entry x: each weight becomes (w - step * (slope * x)) * left.
  void (*class_changes)(float* w, std::size_t lanes, const row_batch<Index, Value>& row, const lane_classes& by);
  /// Of factorization machines: out[i * lanes + k] = the score of row i by model k. `room`: 2 * width * lanes floats,
  /// which then hold what machine_changes() needs of the last row.
  void (*machine_scores)(const machine_arrays& w, std::size_t lanes, const row_batch<Index, Value>& rows, float* room,
                         float* out);
  /// Of one row, each parameter of its columns, and the biases: as sgd or adagrad of row_kernels have it.
  void (*machine_changes)(std::size_t lanes, const row_batch<Index, Value>& row, const lane_machines& by);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Index, class Value>
const lane_kernels<Index, Value>& lane_kernels_of(isa set);

extern template const lane_kernels<std::uint32_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint32_t, half>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, half>& lane_kernels_of(isa);

}  // namespace hogwild
