// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace hogwild::cli {

/// JSON on one line. Names of files, users and items may hold any bytes: invalid UTF-8 becomes U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& all) {
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hogwild::cli
