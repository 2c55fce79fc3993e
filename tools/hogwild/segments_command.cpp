// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <hogwild/core/segment.hpp>

#include "command_line.hpp"
#include "commands.hpp"

namespace hogwild::cli {
namespace {

void list(bool json) {
  const std::vector<segment_info> segments = list_segments();
  auto all = nlohmann::ordered_json::array();
  for (const segment_info& s : segments) {
    all.push_back({{"name", s.name},
                   {"owner", s.owner.pid},
                   {"alive", s.owner_alive},
                   {"age_seconds", s.age_seconds},
                   {"bytes", s.bytes},
                   {"model", s.model_name},
                   {"label", s.label}});
    if (json) continue;
    std::printf("%s: process %d (%s), %.0f s old, %.1f MB, model %s%s%s\n", s.name.c_str(), s.owner.pid,
                s.owner_alive ? "alive" : "dead", s.age_seconds, static_cast<double>(s.bytes) / 1e6,
                s.model_name.c_str(), s.label.empty() ? "" : ", ", s.label.c_str());
  }
  if (json)
    std::printf("%s\n", all.dump().c_str());
  else
    std::printf("%zu segments\n", segments.size());
}

void purge(bool json) {
  const std::vector<std::string> removed = purge_segments();
  if (json) {
    std::printf("%s\n", nlohmann::ordered_json(removed).dump().c_str());
    return;
  }
  for (const std::string& name : removed) std::printf("removed %s\n", name.c_str());
  std::printf("%zu segments removed\n", removed.size());
}

}  // namespace

int segments_command(int argc, const char* const* argv) {
  bool remove = false, json = false;
  command_line line("segments",
                    "Lists the shared memory of training runs on this machine: who owns it and since when. A run that\n"
                    "was killed may leave some behind.",
                    "hogwild segments --purge");
  line.flag("--purge", remove, "remove what has no living owner, and nothing else");
  line.flag("--json", json, "one JSON array");
  if (const auto code = line.parse(argc, argv)) return *code;
  if (remove)
    purge(json);
  else
    list(json);
  return 0;
}

}  // namespace hogwild::cli
