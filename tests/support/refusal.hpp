// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/error.hpp>

namespace hogwild::test {

/// The text of the exception of this type that f throws. Other exceptions pass through.
template <class Error = config_error, class F>
std::string refusal_of(const F& f, const std::string& where_none = "accepted") {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return where_none;
}

}  // namespace hogwild::test
