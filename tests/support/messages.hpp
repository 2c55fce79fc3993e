// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hogwild::test {

/// Whether a message is one line of UTF-8 without control characters.
inline bool is_harmless(const std::string& message) {
  try {
    (void)nlohmann::json(message).dump();
  } catch (const nlohmann::json::type_error&) {
    return false;  // not UTF-8
  }
  for (std::size_t k = 0; k < message.size(); ++k) {
    const auto byte = static_cast<unsigned char>(message[k]);
    if (byte < ' ' || byte == 0x7f) return false;
    if (byte == 0xc2 && static_cast<unsigned char>(message[k + 1]) < 0xa0) return false;  // C1
  }
  return true;
}

/// Tokens that no message may show as they are.
inline std::vector<std::string> hostile_tokens() {
  std::vector<std::string> tokens = {"\x1b[31mred",
                                     "over\rwritten",
                                     "\a",
                                     "\x1b]0;title\x07",
                                     "\xc2\x9b"
                                     "31m",
                                     std::string(5000, 'x'),
                                     std::string(5000, '\x1b')};
  for (int first = 0x80; first < 0x100; first += 32) {
    std::string& token = tokens.emplace_back();
    for (int byte = first; byte < first + 32; ++byte) token += static_cast<char>(byte);
  }
  return tokens;
}

}  // namespace hogwild::test
