// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/error.hpp>

namespace hogwild {

/// An exception of whatever type, in a form that can be handed to another process.
struct failure {
  exit_code code = exit_code::internal;
  std::string text{};           ///< its what(); short of memory "" at worst
  bool is_cache_error = false;  ///< it was a cache_error
};

/// What the exception that is being handled says; by a catch clause.
failure current_failure() noexcept;

/// Throws an error of the code's kind, with this text.
[[noreturn]] void throw_failure(const failure& what);

}  // namespace hogwild
