// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "script.hpp"

namespace hogwild::cli {

int report_command(int argc, const char* const* argv) {
  run_script("report", argc, argv);
}

}  // namespace hogwild::cli
