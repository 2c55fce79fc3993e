// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/run/advise.hpp>
#include <hogwild/registry.hpp>

#include "train_request.hpp"

// Advice beside what runs come to.

namespace hogwild::cli {

/// What one advised run came to.
struct measured_run {
  double epoch_seconds = 0.0;  ///< median of its epochs, the first of each training left out; 0: it was refused
  double least_seconds = 0.0;  ///< of the fastest of them
  std::size_t workers = 0;     ///< that trained
};

/// What all of them came to.
struct checked_advice {
  std::vector<measured_run> runs;  ///< as those of the advice; empty: nothing was measured
  cpu_load load{};                 ///< by others, meanwhile
};

/// Trains by every run of the advice in turn, three times five epochs each, with its step. `options` are those that the
/// advice was asked for.
checked_advice measure_advised(const advice& given, const named_model& m, const sparse_view& rows,
                               const train_request& request, const train_options& options);

}  // namespace hogwild::cli
