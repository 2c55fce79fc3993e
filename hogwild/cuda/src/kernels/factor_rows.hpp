// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/option_values.hpp>

#include "half_pairs.hpp"

namespace hogwild::device {

/// Ratings, and how they are trained: the arguments of one kernel launch. Users and items are columns: user u is column
/// u, item i column users + i. All pointers are the device's. While it runs others may read and add to weights and
/// sums; nobody writes the rest, except for `updates`.
struct factor_work {
  const rating* ratings = nullptr;
  std::uint64_t first = 0, count = 0;  ///< ratings of this launch

  float* weights = nullptr;     ///< `width` factors of each column, then a bias of each if there are biases
  half_pair* halves = nullptr;  ///< if given, the factors, two in each; only the biases of `weights` are then used
  float* sums = nullptr;  ///< row_adagrad: as many, but only the first of each row is used (factor_sums); null: sgd
  std::uint64_t users = 0, columns = 0;
  std::uint32_t width = 0;
  bool bias = false;
  float mean = 0, step = 0;

  float l2 = 0;                           ///< a rating adds l2 times the row to the gradient of its rows
  const std::uint32_t* degree = nullptr;  ///< ratings of each column; if given, touched_l2 replaces `l2`,
  float l2_rows = 0;                      ///< with l2 times all ratings,
  float epoch_step = 0;                   ///< at this step (factor_step)

  update_kind update = update_kind::lossy;  ///< not locked
  bool system_scope = false;                ///< CPUs or other devices read or add meanwhile
  std::uint32_t rows_in_flight = 1;  ///< warps that train at once, at least 1: warp k trains ratings k, k + warps, ...
  std::uint64_t* updates = nullptr;  ///< counts the ratings that were trained; null: not counted
};

/// The host form, on the calling thread: trains ratings first + part, first + part + parts, ... of the work, as warp
/// `part` of `parts` does, whatever `rows_in_flight` is. Threads may run several parts at the same time. Throws
/// std::invalid_argument for locked updates, and for halves with exact updates, with sums, or of an odd width.
void train_factor_rows(const factor_work& work, std::size_t part, std::size_t parts);

/// The device form, in builds with CUDA: queues the work on `stream`, a cudaStream_t. Returns CUDA's error code for the
/// launch, 0 for none. Throws std::invalid_argument for locked updates, for halves, and for no rows in flight.
int launch_factor_rows(const factor_work& work, void* stream);
/// The same for halves. Throws std::invalid_argument for updates that are not lossy, for sums, for an odd width, for
/// system scope, and for no rows in flight.
int launch_half_factor_rows(const factor_work& work, void* stream);

}  // namespace hogwild::device
