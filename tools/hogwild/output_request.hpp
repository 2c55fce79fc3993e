// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// The options that say what a run leaves behind, and where.
void declare_output(command_line& line, train_request& r);

}  // namespace hogwild::cli
