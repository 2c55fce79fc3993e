// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/platform/cpu_load.hpp>
#include <hogwild/detail/run/advise.hpp>
#include <hogwild/registry.hpp>

#include "train_request.hpp"

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

/// Advice as text, with measured times if they were asked for (else `measured` is empty). If other programs used the
/// CPUs meanwhile, predictions and measurements say so. `scale`: how columns should be divided; a step that was found
/// for undivided columns is then not given.
std::string advice_text(const sparse_view& rows, const advice& given, const checked_advice& measured,
                        column_scaling scale);

/// The same as JSON: one object, one line.
std::string advice_json(const train_request& request, const sparse_view& rows, const advice& given,
                        const checked_advice& measured, column_scaling scale);

}  // namespace hogwild::cli
