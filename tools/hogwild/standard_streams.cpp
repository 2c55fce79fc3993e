// SPDX-License-Identifier: Apache-2.0
#include "standard_streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

/// Text on a terminal may be mixed with other text.
bool is_standard_output(const std::string& file) {
  struct ::stat named {
  }, out{};
  return !file.empty() && ::stat(file.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &out) == 0 &&
         named.st_dev == out.st_dev && named.st_ino == out.st_ino && !S_ISCHR(out.st_mode);
}

}  // namespace

void secure_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is this one, as those below it are open by now.
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/", O_PATH));
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void print(std::string_view text) {
  try {
    write_all(STDOUT_FILENO, std::as_bytes(std::span(text)), "to standard output");
  } catch (const input_error& e) {
    throw resource_error(e.what());
  }
}

bool prints_to_a_terminal() {
  return ::isatty(STDOUT_FILENO) != 0;
}

void print_beside(std::initializer_list<std::string> files, std::string_view text) {
  if (std::ranges::none_of(files, is_standard_output)) return print(text);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string formatted(const char* format, ...) {
  char text[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

std::string json_text(const nlohmann::ordered_json& all) {
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hogwild::cli
