// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace hogwild::bench {

/// What a program that ended well said, and how long it took.
struct program_run {
  double seconds = 0.0;  ///< wall clock, from start to end
  std::string output{};  ///< standard output and standard error
};

/// Where a program is: `name` itself where it has a slash, else the first of that name in PATH. Nothing where there is
/// none that may be executed.
std::optional<std::string> find_program(const std::string& name);

/// How a program is to be run.
struct program_limits {
  double seconds = 600.0;  ///< after which it is killed
  std::stop_token stop{};  ///< a request kills it, too
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// Runs a program to its end, its output in the file `log`. Throws resource_error with the last lines of its output
/// where it does not end well or in time, and exit_code::interrupted where a stop was asked for.
program_run run_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::filesystem::path& log, const program_limits& limits);

}  // namespace hogwild::bench
