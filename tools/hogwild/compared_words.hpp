// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <hogwild/detail/run/same_on_ranks.hpp>

#include "command_line.hpp"

namespace hogwild::cli {

/// The part of a parsed command line that ranks compare: the options that were given, numbers by their value.
std::vector<named_value> compared_words(const command_line& line);

}  // namespace hogwild::cli
