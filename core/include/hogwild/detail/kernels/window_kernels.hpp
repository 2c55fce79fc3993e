// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Rows of word vectors are padded to so many floats: a cache line.
inline constexpr std::size_t window_lanes = 16;

/// The matrix products of a window of words: `inputs` rows a[0], a[1], ... that stand anywhere, against `outputs` rows
/// b that lie one behind the other. All rows have `width` floats, a multiple of window_lanes, and begin on a cache
/// line; what is computed of row i and row j stands in place i * outputs + j. Memory is the caller's alone.
///
/// Products may be fused with sums, so that instruction sets differ in the last bits.
struct window_kernels {
  /// scores = A B^T
  void (*scores)(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs, std::size_t width,
                 float* scores);
  /// Makes of each score what the loss changes with it, where the first `seen` outputs were seen and the others were
  /// not: sigma(score) - 1 in those columns, sigma(score) elsewhere; sigma(x) = 1 / (1 + e^-x). Within 1e-6 of that.
  /// `slopes` has room for whole multiples of window_lanes.
  void (*slopes)(float* slopes, std::size_t inputs, std::size_t outputs, std::size_t seen);
  /// da[i] += sum_j slopes[i][j] b_j, and db_j = sum_i slopes[i][j] a[i].
  void (*gradients)(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs, std::size_t width,
                    const float* slopes, float* const* da, float* db);
  /// mean = the mean of the rows a; inputs > 0.
  void (*mean)(const float* const* a, std::size_t inputs, std::size_t width, float* mean);
  /// a[i] += factor * run, for each of the rows.
  void (*spread)(float* const* a, std::size_t inputs, std::size_t width, float factor, const float* run);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const window_kernels& window_kernels_of(isa set);

}  // namespace hogwild
