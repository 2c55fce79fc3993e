// SPDX-License-Identifier: Apache-2.0
#include "search/journal_title.hpp"

#include <cstdio>

namespace hogwild::detail {

namespace {

/// A JSON string. Names of files may hold any bytes; bytes that are not ASCII are written as numbers.
std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

std::string journal_title(const search_space& space, const search_options& options) {
  const bool draws_all = options.strategy == strategy_kind::random || options.strategy == strategy_kind::halving;
  const bool halves = options.strategy == strategy_kind::halving || options.strategy == strategy_kind::hyperband;
  std::string spaces;
  for (const std::string& text : space.texts()) spaces += (spaces.empty() ? "" : ",") + json_string(text);
  return "{\"search\":1,\"space\":[" + spaces +
         "],\"strategy\":" + json_string(std::string(name_of(options.strategy))) +
         ",\"epochs\":" + std::to_string(options.epochs) +
         (draws_all ? ",\"trials\":" + std::to_string(options.trials) : "") +
         (halves ? ",\"eta\":" + std::to_string(options.eta) : "") + ",\"seed\":" + std::to_string(options.seed) +
         ",\"identity\":" + json_string(options.identity) + "}";
}

}  // namespace hogwild::detail
