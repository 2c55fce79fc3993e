// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hogwild {

/// The value for main to return: runs the command that the arguments name, or the worker process that they ask for.
/// Errors are printed on standard error; the value is an exit_code.
int command_main(int argc, const char* const* argv) noexcept;

}  // namespace hogwild
