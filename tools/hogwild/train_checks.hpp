// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Throws config_error for options that do not go together, before anything is read. `line` was parsed into `request`.
void check_options(const command_line& line, const train_request& request);
/// Of those the ones about the model and what it reads.
void check_model(const command_line& line, const train_request& request);

}  // namespace hogwild::cli
