// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/run/advise.hpp>
#include <hogwild/registry.hpp>

#include "train_request.hpp"

// Compares advice with measured runs.

namespace hogwild::cli {

/// The measurement of one advised run.
struct measured_run {
  double epoch_seconds = 0.0;  ///< median of its epochs, the first of each training left out; 0: it was refused
  double least_seconds = 0.0;  ///< of the fastest of them
  std::size_t workers = 0;     ///< that trained
};

/// The measurements of all advised runs.
struct checked_advice {
  std::vector<measured_run> runs;  ///< in the order of the advice; empty: nothing was measured
  cpu_load load{};                 ///< by other programs, meanwhile
};

/// Trains every run of the advice in turn, three times five epochs each, with its step. `options` are those for which
/// the advice was made.
checked_advice measure_advised(const advice& given, const named_model& m, const sparse_view& rows,
                               const train_request& request, const train_options& options);

}  // namespace hogwild::cli
