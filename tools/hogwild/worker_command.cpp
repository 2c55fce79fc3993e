// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "command_line.hpp"
#include "commands.hpp"
#include "training.hpp"

namespace hogwild::cli {

int worker_command(int argc, const char* const* argv) {
  std::string name;
  command_line line(
      "worker",
      "Joins a run that 'hogwild train --engine processes', or a ring of processes, runs on this machine, as\n"
      "one more worker, until it ends. 'hogwild segments' lists the names of the runs under way.",
      "hogwild worker --attach hogwild-1234-567890-1a2b3c4d");
  line.option("--attach", "NAME", name, "the name of the run's segment");
  line.require("--attach");
  if (const auto code = line.parse(argc, argv)) return *code;
  return join_run(name);
}

}  // namespace hogwild::cli
