// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layer/dense.hpp"
#include "kernels/layer/points.hpp"
#include "kernels/layer/taps.hpp"

namespace hogwild::detail {
namespace {

constexpr layer_kernels layers_here = {.taps = taps,
                                       .taps_input = taps_input,
                                       .taps_weights = taps_weights,
                                       .dense = dense,
                                       .dense_input = dense_input,
                                       .dense_weights = dense_weights,
                                       .relu = relu,
                                       .relu_input = relu_input,
                                       .max_pool = max_pool,
                                       .max_pool_input = max_pool_input,
                                       .dropout_mask = dropout_mask,
                                       .apply_mask = apply_mask,
                                       .log_softmax = log_softmax,
                                       .log_softmax_input = log_softmax_input,
                                       .fill_lane = fill_lane};

}  // namespace
}  // namespace hogwild::detail
