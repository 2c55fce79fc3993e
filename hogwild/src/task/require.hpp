// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/error.hpp>

namespace hogwild::detail {

/// Throws config_error with the message unless the condition holds.
inline void require(bool holds, const std::string& sentence) {
  if (!holds) throw config_error(sentence);
}

}  // namespace hogwild::detail
