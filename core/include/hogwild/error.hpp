// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild {

/// The exit code that a program should return when the error reaches its main function.
enum class exit_code : int {
  done = 0,
  internal = 1,   ///< an internal fault, or a lost peer
  usage = 2,      ///< options that do not go together
  input = 3,      ///< bad, missing or torn input
  resources = 4,  ///< no more shared memory, disk space, processes or threads
  diverged = 5,   ///< the loss is not finite, or the objective ended higher than it began (run_status::diverged)
  interrupted = 130
};

/// Base of everything that the library throws. The message says what was wrong, where, and what to do. what() is made
/// printable: one line of at most `longest_message` bytes of UTF-8 without control characters, whatever names and
/// tokens stand in it.
class error : public std::runtime_error {
 public:
  /// The program's exit code, and one sentence for its user.
  error(exit_code code, const std::string& message) : std::runtime_error(printable(message)), code_(code) {}
  exit_code code() const noexcept { return code_; }  ///< the program's exit code

 private:
  exit_code code_;
};

/// Options that do not go together or lie outside their range.
struct config_error : error {
  explicit config_error(const std::string& message) : error(exit_code::usage, message) {}  ///< one sentence
};

/// A file that cannot be read, or data that do not suit the model.
struct input_error : error {
  explicit input_error(const std::string& message) : error(exit_code::input, message) {}  ///< one sentence
};

/// Malformed text in a file. `line` and `column` count from 1, `column` in bytes; what() begins with "file:line:column:
/// ".
class format_error : public input_error {
 public:
  /// `line` and `column` count from 1; what() begins with file, line and column.
  format_error(const std::string& file, std::size_t line, std::size_t column, const std::string& message)
      : input_error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message),
        line_(line),
        column_(column) {}
  std::size_t line() const noexcept { return line_; }      ///< from 1
  std::size_t column() const noexcept { return column_; }  ///< from 1, in bytes

 private:
  std::size_t line_, column_;
};

/// A dataset cache whose contents do not match their checksum. To repair it, delete `path()` and open the source again.
class cache_error : public input_error {
 public:
  /// `path`: the cache file.
  cache_error(const std::string& path, const std::string& message) : input_error(message), path_(path) {}
  const std::string& path() const noexcept { return path_; }  ///< the cache file

 private:
  std::string path_;
};

/// Memory, shared memory, disk space, processes or threads that the system refuses to give.
struct resource_error : error {
  explicit resource_error(const std::string& message) : error(exit_code::resources, message) {}  ///< one sentence

 protected:
  resource_error(exit_code code, const std::string& message) : error(code, message) {}  ///< with another exit code
};

/// A named segment that is missing (exit code `input`), taken, foreign, or made by another build.
class segment_error : public resource_error {
 public:
  using resource_error::resource_error;  ///< the constructors of resource_error
  /// The error for a segment that does not exist.
  static segment_error missing(const std::string& message) { return {exit_code::input, message}; }

 private:
  segment_error(exit_code code, const std::string& message) : resource_error(code, message) {}
};

/// A worker process that cannot be kept alive.
struct worker_error : error {
  explicit worker_error(const std::string& message) : error(exit_code::internal, message) {}  ///< one sentence
};

}  // namespace hogwild
