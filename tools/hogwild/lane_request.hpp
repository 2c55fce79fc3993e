// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include <hogwild/detail/search/trials_side_by_side.hpp>

#include "train_request.hpp"

// What a request asks for as a trial that the engine trains beside others.

namespace hogwild::cli {

/// Of its model, where such a trial is what a run of the request's own would be; nothing where a run of its own has to
/// train it, or tells what is wrong with it.
std::optional<model_traits> traits_of_lane(const train_request& request, const sparse_view& rows);

/// The trial, whose `alike`, and what it is measured on, are the caller's to say. `traits`: as above, of rows with the
/// same labels.
side_by_side_trial lane_of(std::shared_ptr<const train_request> request, const model_traits& traits,
                           const sparse_view& rows);

}  // namespace hogwild::cli
