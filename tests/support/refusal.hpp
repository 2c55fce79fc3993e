// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/error.hpp>

namespace hogwild::test {

/// What the exception of this type that f throws says. Others leave this.
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
