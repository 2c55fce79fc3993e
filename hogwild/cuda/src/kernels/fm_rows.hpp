// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild::device {

/// The model factorization_machine as kernels need it: `width` factors of each column are contiguous, followed by a
/// weight of each column, then the bias. These are the groups of its work; without columns only the bias exists.
struct fm_shape {
  std::uint64_t features = 0;
  std::uint32_t width = 8;  ///< padding included; at most most_fm_width
  label_kind labels = label_kind::binary;
  float mean = 0, scale = 1;  ///< the score is mean + scale * s
};

/// A lane has up to four factors of a column.
inline constexpr std::uint32_t most_fm_width = 128;

/// The host form and the device form, like train_margin_rows() and launch_margin_rows(). Both throw
/// std::invalid_argument for more than most_fm_width factors.
void train_fm_rows(const general_work& work, const fm_shape& model, std::size_t part, std::size_t parts);
int launch_fm_rows(const general_work& work, const fm_shape& model, void* stream);

}  // namespace hogwild::device
