// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hogwild::cli {

/// Replaces this process by a Python script of the bench suite: `<folder of this program>/../share/hogwild/bench/NAME`,
/// which is a link to the sources in a build folder, and a copy in an installation. It gets the arguments after
/// argv[0], and the path of this program in the environment, as HOGWILD_PROGRAM. Returns only by throwing: input_error
/// if the script does not exist, resource_error if it cannot be run.
[[noreturn]] void run_script(const std::string& name, int argc, const char* const* argv);

}  // namespace hogwild::cli
