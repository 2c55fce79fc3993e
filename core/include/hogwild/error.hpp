// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild {

/// What a program should return when the error reaches its main function.
enum class exit_code : int {
  done = 0,
  internal = 1,   ///< a fault of ours, or a lost peer
  usage = 2,      ///< options that do not go together
  input = 3,      ///< bad, missing or torn input
  resources = 4,  ///< shared memory, disk, processes or threads that are not available
  diverged = 5,   ///< the loss is no longer finite
  interrupted = 130
};

/// Base of everything that the library throws. The message says what was wrong, where, and what to do. It is made
/// printable: whatever names and tokens stand in it, what() is one line of at most `longest_message` bytes of UTF-8
/// without control characters.
class error : public std::runtime_error {
 public:
  /// What a program ends with, and one sentence for its user.
  error(exit_code code, const std::string& message) : std::runtime_error(printable(message)), code_(code) {}
  exit_code code() const noexcept { return code_; }  ///< what a program should end with

 private:
  exit_code code_;
};

/// Options that do not go together or lie outside their range.
struct config_error : error {
  explicit config_error(const std::string& message) : error(exit_code::usage, message) {}  ///< one sentence
};

/// A file that cannot be read, or data that does not suit the model.
struct input_error : error {
  explicit input_error(const std::string& message) : error(exit_code::input, message) {}  ///< one sentence
};

/// Malformed text at a place. `line` and `column` count from 1, `column` in bytes; what() begins with
/// "file:line:column: ".
class format_error : public input_error {
 public:
  /// `line` and `column` count from 1; what() begins with all three.
  format_error(const std::string& file, std::size_t line, std::size_t column, const std::string& message)
      : input_error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message),
        line_(line),
        column_(column) {}
  std::size_t line() const noexcept { return line_; }      ///< from 1
  std::size_t column() const noexcept { return column_; }  ///< from 1, in bytes

 private:
  std::size_t line_, column_;
};

/// A dataset cache whose contents do not match their checksum; deleting `path()` and opening the source again cures it.
class cache_error : public input_error {
 public:
  /// `path`: of the cache.
  cache_error(const std::string& path, const std::string& message) : input_error(message), path_(path) {}
  const std::string& path() const noexcept { return path_; }  ///< of the cache

 private:
  std::string path_;
};

/// Memory, shared memory, disk space, processes or threads that the system refuses.
struct resource_error : error {
  explicit resource_error(const std::string& message) : error(exit_code::resources, message) {}  ///< one sentence

 protected:
  resource_error(exit_code code, const std::string& message) : error(code, message) {}  ///< for what ends otherwise
};

/// A named segment that is missing (its code is `input` then), taken, foreign, or of another build.
class segment_error : public resource_error {
 public:
  using resource_error::resource_error;  ///< as a resource_error
  /// For the name of a segment that is not there.
  static segment_error missing(const std::string& message) { return {exit_code::input, message}; }

 private:
  segment_error(exit_code code, const std::string& message) : resource_error(code, message) {}
};

/// A worker process that cannot be kept alive.
struct worker_error : error {
  explicit worker_error(const std::string& message) : error(exit_code::internal, message) {}  ///< one sentence
};

}  // namespace hogwild
