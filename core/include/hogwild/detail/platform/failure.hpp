// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/error.hpp>

namespace hogwild {

/// An exception of any type, in a form that can be passed to another process.
struct failure {
  exit_code code = exit_code::internal;
  std::string text{};           ///< its what(); "" if memory is short
  bool is_cache_error = false;  ///< it was a cache_error
};

/// Describes the exception that is being handled; called in a catch clause.
failure current_failure() noexcept;

/// Throws an error of the code's kind, with this text.
[[noreturn]] void throw_failure(const failure& what);

}  // namespace hogwild
