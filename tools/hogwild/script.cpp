// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <hogwild/error.hpp>

namespace hogwild::cli {

void run_script(const std::string& name, int argc, const char* const* argv) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) throw resource_error("cannot read /proc/self/exe; mount /proc: scripts lie beside the program");
  const fs::path script = program.parent_path().parent_path() / "share" / "hogwild" / "bench" / name;
  if (!fs::exists(script, failure))
    throw input_error("there is no script " + quote(script.string()) +
                      "; it comes with 'cmake --install', and with a build that has benchmarks");

  std::vector<std::string> words = {"python3", script.string()};
  words.insert(words.end(), argv + (argc > 0 ? 1 : 0), argv + argc);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::setenv("HOGWILD_PROGRAM", program.c_str(), 1);
  // Packages such as matplotlib are those of an active virtual environment, or else of the system's Python.
  if (std::getenv("VIRTUAL_ENV") == nullptr) ::execv("/usr/bin/python3", pointers.data());
  ::execvp("python3", pointers.data());
  throw resource_error("cannot run python3: " + std::string(std::strerror(errno)) +
                       "; install it, on Debian and Ubuntu: apt-get install python3");
}

}  // namespace hogwild::cli
