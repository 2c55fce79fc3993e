// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hogwild {

/// What main returns: runs the command that the arguments name, or the worker process that they stand for. Faults are
/// said on standard error; the value is an exit_code.
int command_main(int argc, const char* const* argv) noexcept;

}  // namespace hogwild
