// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <hogwild/detail/search/trials_side_by_side.hpp>

#include "train_request.hpp"

// A request as a trial that is trained beside others.

namespace hogwild::cli {

/// The traits of its model, if such a trial equals a separate run of the request; nothing if a separate run has to
/// train it, or to report what is wrong with it.
std::optional<model_traits> traits_of_lane(const train_request& request, const sparse_view& rows);

/// The trial; the caller sets its `alike`, and what it is measured on. `traits`: as above, for rows with the same
/// labels.
side_by_side_trial lane_of(std::shared_ptr<const train_request> request, const model_traits& traits,
                           const sparse_view& rows);

}  // namespace hogwild::cli
