// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/general_work.hpp>

namespace hogwild::device {

/// The model softmax as kernels need it: a column's weights for all classes are contiguous, the biases follow all
/// columns.
struct softmax_shape {
  std::uint64_t features = 0;
  std::uint32_t classes = 2;  ///< at most most_softmax_classes
  bool bias = false;
};

/// A lane has the scores of up to four classes.
inline constexpr std::uint32_t most_softmax_classes = 128;

/// The host form and the device form, like train_margin_rows() and launch_margin_rows(). Labels are classes. Both throw
/// std::invalid_argument for more than most_softmax_classes classes.
void train_softmax_rows(const general_work& work, const softmax_shape& model, std::size_t part, std::size_t parts);
int launch_softmax_rows(const general_work& work, const softmax_shape& model, void* stream);

}  // namespace hogwild::device
