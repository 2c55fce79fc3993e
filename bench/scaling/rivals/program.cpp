// SPDX-License-Identifier: Apache-2.0
#include "rivals/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>

#include "leave_when_asked.hpp"

namespace hogwild::bench {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The end of what it said, without the names of our folder: they stand in records that others read.
std::string last_words(std::string output, const std::string& folder) {
  constexpr std::size_t enough = 400;
  for (std::size_t at = output.find(folder); at != std::string::npos; at = output.find(folder, at)) {
    output.erase(at, folder.size());
  }
  return output.size() <= enough ? output : "... " + output.substr(output.size() - enough);
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
  const auto runs = [](const std::string& path) {
    return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path);
  };
  if (name.find('/') != std::string::npos) return runs(name) ? std::optional(name) : std::nullopt;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::string file = folder + "/" + name; !folder.empty() && runs(file)) return file;
  }
  return std::nullopt;
}

program_run run_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::filesystem::path& log, const program_limits& limits) {
  // spawn() hands our own output on, and what a rival says there must not stand among our tables: the shell turns it
  // into a file, then becomes the program.
  std::vector<std::string> words{"-c", R"(exec "$@" >"$0" 2>&1)", log.string(), program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  child_process child = spawn("/bin/sh", words, limits.environment);
  for (;;) {
    const auto end = child.wait_for(std::chrono::milliseconds(100));
    const double seconds = elapsed();
    if (end) {
      std::string output = text_of(log);
      if (end->success()) return {seconds, std::move(output)};
      throw resource_error("it " + end->describe() + ": " + last_words(output, log.parent_path().string() + "/"));
    }
    leave_when_asked(limits.stop);
    if (seconds > limits.seconds) {
      throw resource_error("it did not end within " + std::to_string(static_cast<int>(limits.seconds)) + " seconds");
    }
  }
}

}  // namespace hogwild::bench
