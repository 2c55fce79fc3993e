// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <interrupt/interrupt.hpp>

#include "train_request.hpp"

namespace hogwild::cli {

/// Learns from the rows of standard input until it ends or a stop is requested. Prints a line now and then: the rows so
/// far, their loss before they were trained on, and how many of them a checkpoint holds, which need not be sent again.
/// Returns the exit code.
int train_stream(const train_request& request, interrupt& asked);

}  // namespace hogwild::cli
