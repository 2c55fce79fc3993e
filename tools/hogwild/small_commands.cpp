// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include <hogwild/detail/platform/build_info.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "standard_streams.hpp"
#include "training.hpp"

namespace hogwild::cli {
namespace {

/// Replaces this process by a Python script of the bench suite: `<folder of this program>/../share/hogwild/bench/NAME`,
/// which is a link to the sources in a build folder, and a copy in an installation. It gets the arguments after
/// argv[0], and the path of this program in the environment, as HOGWILD_PROGRAM. Returns only by throwing: input_error
/// if the script does not exist, resource_error if it cannot be run.
[[noreturn]] void run_script(const std::string& name, int argc, const char* const* argv) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) throw resource_error("cannot read /proc/self/exe; mount /proc: scripts lie beside the program");
  const fs::path script = program.parent_path().parent_path() / "share" / "hogwild" / "bench" / name;
  if (!fs::exists(script, failure))
    throw input_error("there is no script " + detail::quoted_path(script.string()) +
                      "; it comes with 'cmake --install', and with a build that has benchmarks");

  // Packages such as matplotlib are those of an active virtual environment, or else of the system's Python, which finds
  // its own by the name that it is called by.
  const std::string of_system = "/usr/bin/python3";
  const bool active = std::getenv("VIRTUAL_ENV") != nullptr;
  std::vector<std::string> words = {!active && fs::exists(of_system, failure) ? of_system : "python3", script.string()};
  words.insert(words.end(), argv + (argc > 0 ? 1 : 0), argv + argc);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::setenv("HOGWILD_PROGRAM", program.c_str(), 1);
  ::execvp(pointers.front(), pointers.data());
  throw resource_error("cannot run python3: " + std::string(std::strerror(errno)) +
                       "; install it, on Debian and Ubuntu: apt-get install python3");
}

}  // namespace

int bench_command(int argc, const char* const* argv) {
  run_script("run", argc, argv);
}

int report_command(int argc, const char* const* argv) {
  run_script("report", argc, argv);
}

int version_command(int argc, const char* const* argv) {
  bool json = false;
  command_line line("--version", "Shows the version and the build.", "hogwild --version");
  line.flag("--json", json, "one JSON object");
  if (const auto code = line.parse(argc, argv)) return *code;

  const build_description& build = build_info;
  if (json) {
    nlohmann::ordered_json facts = {{"version", build.version},
                                    {"commit", build.commit},
                                    {"build_type", build.build_type},
                                    {"compiler", build.compiler}};
    if (!build.sanitizer.empty()) facts["sanitizer"] = build.sanitizer;
    print(json_text(facts) + "\n");
    return 0;
  }
  std::string text = "hogwild " + std::string(build.version) + " (commit " + std::string(build.commit) + ", " +
                     std::string(build.build_type) + ", " + std::string(build.compiler);
  if (!build.sanitizer.empty()) text += ", sanitizer " + std::string(build.sanitizer);
  print(text + ")\n");
  return 0;
}

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
