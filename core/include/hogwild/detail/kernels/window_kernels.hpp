// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Rows of word vectors are padded to a multiple of this: a cache line.
inline constexpr std::size_t window_lanes = 16;

/// The matrix products of a window of words: `inputs` rows a[0], a[1], ... at any addresses, with `outputs` contiguous
/// rows b. All rows have `width` floats, a multiple of window_lanes, and begin on a cache line. The result for row i
/// and row j is at index i * outputs + j. No other thread uses the memory.
///
/// Products may be fused with sums, so results differ in the last bits between instruction sets.
struct window_kernels {
  /// scores = A B^T
  void (*scores)(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs, std::size_t width,
                 float* scores);
  /// Replaces each score by the derivative of the loss with respect to it, given that the first `seen` outputs were
  /// seen and the others were not: sigma(score) - 1 in those columns, sigma(score) elsewhere; sigma(x) = 1 / (1 +
  /// e^-x). The error is at most 1e-6. `slopes` has room for a multiple of window_lanes.
  void (*slopes)(float* slopes, std::size_t inputs, std::size_t outputs, std::size_t seen);
  /// da[i] += sum_j slopes[i][j] b_j, and db_j = sum_i slopes[i][j] a[i].
  void (*gradients)(const float* const* a, std::size_t inputs, const float* b, std::size_t outputs, std::size_t width,
                    const float* slopes, float* const* da, float* db);
  /// mean = the mean of the rows a; inputs > 0.
  void (*mean)(const float* const* a, std::size_t inputs, std::size_t width, float* mean);
  /// a[i] += factor * run, for each row.
  void (*spread)(float* const* a, std::size_t inputs, std::size_t width, float factor, const float* run);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const window_kernels& window_kernels_of(isa set);

}  // namespace hogwild
