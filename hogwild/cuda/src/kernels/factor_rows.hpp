// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/option_values.hpp>

#include "half_pairs.hpp"

namespace hogwild::device {

/// Ratings, and how they are trained: what one launch of a kernel is told. Users and items are columns: user u is
/// column u, item i column users + i. All pointers are the device's. While it runs others may read and add to weights
/// and sums; nobody writes the rest, but for `updates`.
struct factor_work {
  const rating* ratings = nullptr;
  std::uint64_t first = 0, count = 0;  ///< ratings of this launch

  float* weights = nullptr;     ///< `width` factors of each column, then a bias of each, where there are biases
  half_pair* halves = nullptr;  ///< where given, the factors, two in each, and of `weights` the biases alone are used
  float* sums = nullptr;  ///< row_adagrad: as many, of which the first of each row is used (factor_sums); null: sgd
  std::uint64_t users = 0, columns = 0;
  std::uint32_t width = 0;
  bool bias = false;
  float mean = 0, step = 0;

  float l2 = 0;                           ///< what a rating adds to the gradient of its rows: l2 times the row
  const std::uint32_t* degree = nullptr;  ///< ratings of each column; where given, there is no `l2`, but of the
  float l2_rows = 0;                      ///< touched_l2 its part of each column,
  float epoch_step = 0;                   ///< as it is taken with this step (factor_step)

  update_kind update = update_kind::lossy;  ///< not locked
  bool system_scope = false;                ///< others than this device read or add meanwhile
  std::uint32_t rows_in_flight = 1;  ///< warps that train at once, at least 1: warp k has ratings k, k + warps, ...
  std::uint64_t* updates = nullptr;  ///< raised by the ratings that were trained; null: not counted
};

/// The host form, on the calling thread: trains ratings first + part, first + part + parts, ... of the work, as warp
/// `part` of `parts` does, whatever `rows_in_flight` says. Threads may run several parts at the same time. Throws
/// std::invalid_argument for locked updates, and for halves with exact updates, with sums, or of an odd width.
void train_factor_rows(const factor_work& work, std::size_t part, std::size_t parts);

/// The device form, there where the library is built with CUDA: puts the work behind what is queued on `stream`, a
/// cudaStream_t. Returns CUDA's error code for the launch, 0 for none. Throws std::invalid_argument for locked updates,
/// for halves, and for no rows in flight.
int launch_factor_rows(const factor_work& work, void* stream);
/// The same for halves. Throws std::invalid_argument for updates that are not lossy, for sums, for an odd width, for
/// system scope, and for no rows in flight.
int launch_half_factor_rows(const factor_work& work, void* stream);

}  // namespace hogwild::device
