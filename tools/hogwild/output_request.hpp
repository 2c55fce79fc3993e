// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Declares the options for a run's output files.
void declare_output(command_line& line, train_request& r);

}  // namespace hogwild::cli
