// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {
class margin_loss;
}

namespace hogwild::device {

/// Rows of margin models, and how they are trained: the arguments of one kernel launch. All pointers are the device's.
/// While it runs others may read and add to weights and sums; nobody writes the rest, except for `updates`.
struct margin_work {
  const std::uint32_t* start32 = nullptr;  ///< where rows begin, and where the last one ends; one of the two is given
  const std::uint64_t* start64 = nullptr;
  const std::uint32_t* index32 = nullptr;  ///< columns, distinct within a row; one of the two is given
  const std::uint16_t* index16 = nullptr;
  const float* value = nullptr;  ///< one of the two is given
  const half* value16 = nullptr;
  const float* label = nullptr;           ///< as the model trains on them
  const float* weight = nullptr;          ///< of each row; null: all weigh 1
  const float* offset = nullptr;          ///< of each row's margin; null: all are 0
  const std::uint32_t* degree = nullptr;  ///< rows that have each column; only for adagrad with l2

  std::uint64_t first = 0, count = 0;  ///< rows of this launch
  float* weights = nullptr;            ///< columns, then the bias if there is one
  float* sums = nullptr;               ///< equally many sums of squares for adagrad; null: sgd
  std::uint64_t columns = 0;
  bool bias = false;
  float bias_rate = 1.0f;  ///< the bias's step divided by that of the columns
  float unit = 1.0f;       ///< adagrad: adagrad_unit()
  float step = 0;
  double scale = 1, shrink = 1;  ///< sgd: w = a * v, and a = scale * shrink^i before the launch's row i (scaled_l2)
  double l2_rows = 0;            ///< adagrad: touched_l2

  update_kind update = update_kind::lossy;  ///< not locked
  bool system_scope = false;                ///< CPUs or other devices read or add meanwhile
  std::uint32_t rows_in_flight = 1;  ///< warps that train at once, at least 1: warp k trains rows k, k + warps, ...
  std::uint64_t* updates = nullptr;  ///< counts the rows that changed something; null: not counted
};

/// The host form, on the calling thread: trains rows first + part, first + part + parts, ... of the work, as warp
/// `part` of `parts` does, whatever `rows_in_flight` is. Threads may run several parts at the same time. Throws
/// std::invalid_argument for locked updates.
void train_margin_rows(const margin_work& work, const margin_loss& loss, std::size_t part, std::size_t parts);

/// The device form, in builds with CUDA: queues the work on `stream`, a cudaStream_t. `model` names one of the
/// project's margin models, `object` are the bytes of the model itself. Returns CUDA's error code for the launch, 0 for
/// none. Throws std::invalid_argument for locked updates, for no rows in flight, and for a model that is not known or
/// has another size.
int launch_margin_rows(const margin_work& work, std::string_view model, std::span<const std::byte> object,
                       void* stream);

}  // namespace hogwild::device
