// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "script.hpp"

namespace hogwild::cli {

int bench_command(int argc, const char* const* argv) {
  run_script("run", argc, argv);
}

}  // namespace hogwild::cli
