// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/run/advise.hpp>

#include "advice_check.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Advice as text, with measured times if they were asked for (else `measured` is empty). If other programs used the
/// CPUs meanwhile, predictions and measurements say so. `scale`: how columns should be divided; a step that was found
/// for undivided columns is then not given.
std::string advice_text(const sparse_view& rows, const advice& given, const checked_advice& measured,
                        column_scaling scale);

/// The same as JSON: one object, one line.
std::string advice_json(const train_request& request, const sparse_view& rows, const advice& given,
                        const checked_advice& measured, column_scaling scale);

}  // namespace hogwild::cli
