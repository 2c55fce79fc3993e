// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/run/combinations.hpp>

namespace hogwild {

/// Why these options are incompatible with replicas on a ring; empty if they are compatible.
std::string_view why_refused_on_ring(const combination& c);

}  // namespace hogwild
