// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/run/advise.hpp>

#include "advice_check.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Advice, and what it was measured to come to where that was asked for (else `measured` is empty), for people. Where
/// others used the CPUs meanwhile, what was predicted or measured says so.
/// `scale`: how columns should be divided; the step that was found for columns as they are is then none to give.
std::string advice_text(const sparse_view& rows, const advice& given, const checked_advice& measured,
                        column_scaling scale);

/// The same for machines: one JSON object, one line.
std::string advice_json(const train_request& request, const sparse_view& rows, const advice& given,
                        const checked_advice& measured, column_scaling scale);

}  // namespace hogwild::cli
