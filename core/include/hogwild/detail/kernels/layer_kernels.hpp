// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// Number of examples side by side: value v of example l is at [v * lanes + l]. So one instruction handles a vector of
/// examples, and no layer needs its input rearranged.
inline constexpr std::size_t layer_lanes = 16;

/// A layer whose outputs are sums of taps, at many places: y[o][p] = b[o] + sum over k of w[k][o] * x[place[p] +
/// tap[k]]. For a convolution, tap runs through one window and place through the windows' corners. Places are in units
/// of values. `x` has layer_lanes numbers for each, and y the same for each (o, p); both begin at multiples of 64
/// bytes.
struct tap_shape {
  std::size_t outputs = 0;
  std::span<const std::uint32_t> tap{};
  std::span<const std::uint32_t> place{};  ///< distinct
};

/// Planes of height x width values, pooled by windows of 2 x 2 values; a last odd row or column is left out.
struct pool_shape {
  std::size_t planes = 0, height = 0, width = 0;
};

/// The products and pointwise operations of neural nets, on memory of one worker. Buffers of lanes begin at multiples
/// of 64 bytes; weights and their partials may begin anywhere. `n` counts numbers, a multiple of layer_lanes. `w` is
/// ordered by input: row k holds the weights of input (or tap) k for all outputs.
///
/// Products and sums are fused where the instruction set can: unlike with margin models, the last bits differ between
/// instruction sets.
struct layer_kernels {
  void (*taps)(const tap_shape& shape, const float* w, const float* b, const float* x, float* y);
  /// dx += the gradient that dy gives.
  void (*taps_input)(const tap_shape& shape, const float* w, const float* dy, float* dx);
  /// dw += and db += the gradients that dy gives, summed over places and lanes.
  void (*taps_weights)(const tap_shape& shape, const float* x, const float* dy, float* dw, float* db);

  /// y[o] = b[o] + sum over k of w[k][o] * x[k], for `rows` lanes, a multiple of layer_lanes; x[k] and y[o] are runs of
  /// `rows` numbers here. Without b, the sums are added to y, which holds those of other inputs.
  void (*dense)(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* w, const float* b,
                const float* x, float* y);
  /// dx = the gradient that dy gives.
  void (*dense_input)(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* w, const float* dy,
                      float* dx);
  /// dw += and, unless it is null, db += the gradients that dy gives, summed over rows.
  void (*dense_weights)(std::size_t rows, std::size_t inputs, std::size_t outputs, const float* x, const float* dy,
                        float* dw, float* db);

  /// y = max(y, 0).
  void (*relu)(std::size_t n, float* y);
  /// dy = 0 where y, the result of relu, is not positive.
  void (*relu_input)(std::size_t n, const float* y, float* dy);
  /// y = the maximum of each window.
  void (*max_pool)(const pool_shape& shape, const float* x, float* y);
  /// dx = dy at the first value of each window that equals y, 0 elsewhere, including places without a window. dx may be
  /// x. y may differ in windows whose dy is 0.
  void (*max_pool_input)(const pool_shape& shape, const float* x, const float* y, const float* dy, float* dx);

  /// mask[v * rows + l] = 0 with probability `rate`, else 1 / (1 - rate): a function of key[l] (there are `rows` keys)
  /// and of first + v, for v < values.
  void (*dropout_mask)(std::size_t rows, const std::uint64_t* key, std::size_t first, std::size_t values, float rate,
                       float* mask);
  /// y *= mask, where one run of the mask multiplies `repeat` runs of `rows` numbers.
  void (*apply_mask)(std::size_t rows, std::size_t values, std::size_t repeat, const float* mask, float* y);

  /// Replaces y, scores of `classes` runs of `rows` numbers, by the logarithms of their softmax. loss[l] =
  /// -y[label[l]][l]; best[l] = the class with the largest score, the first of equal ones. Labels are class numbers.
  void (*log_softmax)(std::size_t rows, std::size_t classes, const float* label, float* y, float* loss, float* best);
  /// dy[c][l] = example_weight[l] * (softmax - [c is the label]), the gradient of example_weight . loss with respect to
  /// the scores.
  void (*log_softmax_input)(std::size_t rows, std::size_t classes, const float* label, const float* example_weight,
                            const float* y, float* dy);

  /// x[v * stride] = value, for v < values: one lane.
  void (*fill_lane)(std::size_t values, std::size_t stride, float value, float* x);
};

/// Whether this build has them: they need Eigen.
bool has_layer_kernels();

/// Says what is missing if has_layer_kernels() is false, and what to do; continues a sentence after a name: "mlp ...".
std::string layer_kernels_missing();

/// The kernels of an instruction set that has_isa() knows. `automatic` is the widest available: layer kernels do not
/// gather, so the rule of choose_isa() does not apply. Throws config_error if the build has none.
const layer_kernels& layer_kernels_of(isa set);

}  // namespace hogwild
