// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/kernels/row_batch.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The most models that lie side by side.
inline constexpr std::size_t most_lanes = 32;
/// There are so many, or two or four times as many.
inline constexpr std::size_t least_lanes = 8;

/// The inner loops of several margin models that read the same rows: lane k is a model of its own. `lanes` is 8, 16 or
/// 32, and model k's weight of column j is w[j * lanes + k]: an entry is read once for all models. `w` begins at a
/// multiple of 64 bytes, of 8 lanes at one of 32. Index is std::uint32_t or std::uint16_t, Value is float or half.
///
/// Each lane has the bits that the loops of margin_kernels make of that model alone, on every instruction set, whatever
/// stands in the other lanes. Nobody else writes the weights meanwhile, or overtaken updates are what was asked for
/// (Hogwild!).
template <class Index, class Value>
struct lane_kernels {
  /// out[i * lanes + k] = the dot of row i and model k.
  void (*dots)(const float* w, std::size_t lanes, const row_batch<Index, Value>& rows, float* out);
  /// w[j * lanes + k] += change[i * lanes + k] * x for each entry of row i, row after row; a row does not touch a lane
  /// of which its change is 0.
  void (*updates)(float* w, std::size_t lanes, const row_batch<Index, Value>& rows, const float* change);
  /// Of one row and each model k: dot[k] becomes the margin scale[k] * dot[k] + bias[k], in single precision; scale[k]
  /// is multiplied by shrink[k], and what it is then, rounded, is shrunk[k].
  void (*margins)(std::size_t lanes, double* scale, const double* shrink, const float* bias, float* dot, float* shrunk);
  /// Of one row and each model k: -step[k] * slope[k] is added to moved[k], and change[k] becomes that over shrunk[k].
  /// Whether any of them is not 0.
  bool (*changes)(std::size_t lanes, const float* step, const float* slope, const float* shrunk, float* moved,
                  float* change);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
template <class Index, class Value>
const lane_kernels<Index, Value>& lane_kernels_of(isa set);

extern template const lane_kernels<std::uint32_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint32_t, half>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, float>& lane_kernels_of(isa);
extern template const lane_kernels<std::uint16_t, half>& lane_kernels_of(isa);

}  // namespace hogwild
