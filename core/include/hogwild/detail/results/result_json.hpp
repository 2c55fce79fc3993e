// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <hogwild/result.hpp>

namespace hogwild::detail {

/// Adds what a run trained through and how much it used: the objects ring, link, meetings and devices, and memory and
/// waits for the disk. What a run did not have is left out; members that an object has already stay.
void put_usage(nlohmann::ordered_json& into, const train_result& run);

}  // namespace hogwild::detail
