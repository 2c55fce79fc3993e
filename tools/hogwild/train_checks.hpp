// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command_line.hpp"
#include "train_request.hpp"

namespace hogwild::cli {

/// Throws config_error for incompatible options, before anything is read. `line` was parsed into `request`.
void check_options(const command_line& line, const train_request& request);
/// The part of these checks about the model and its input.
void check_model(const command_line& line, const train_request& request);

}  // namespace hogwild::cli
