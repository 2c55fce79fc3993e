// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/segments.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

void list(bool json) {
  const std::vector<segment_info> segments = list_segments();
  auto all = nlohmann::ordered_json::array();
  std::string text;
  for (const segment_info& s : segments) {
    all.push_back({{"name", s.name},
                   {"owner", s.owner.pid},
                   {"alive", s.owner_alive},
                   {"age_seconds", s.age_seconds},
                   {"bytes", s.bytes},
                   {"model", s.model_name},
                   {"label", s.label}});
    text += printable(s.name) + ": process " + std::to_string(s.owner.pid) +
            (s.owner_alive ? " (alive), " : " (dead), ") +
            formatted("%.0f s old, %.1f MB", s.age_seconds, static_cast<double>(s.bytes) / 1e6) + ", model " +
            printable(s.model_name) + (s.label.empty() ? "" : ", ") + printable(s.label) + "\n";
  }
  print(json ? json_text(all) + "\n" : text + std::to_string(segments.size()) + " segments\n");
}

void purge(bool json) {
  const std::vector<std::string> removed = purge_segments();
  if (json) {
    print(json_text(removed) + "\n");
    return;
  }
  std::string text;
  for (const std::string& name : removed) text += "removed " + printable(name) + "\n";
  print(text + std::to_string(removed.size()) + " segments removed\n");
}

}  // namespace

int segments_command(int argc, const char* const* argv) {
  bool remove = false, json = false;
  command_line line(
      "segments",
      "Lists the shared memory of training runs on this machine: who owns it and since when. A run that was killed may "
      "leave some behind; the next 'hogwild train' of the same user that needs shared memory removes it, too.",
      "hogwild segments --purge");
  line.flag("--purge", remove, "remove segments that have no living owner");
  line.flag("--json", json, "one JSON array");
  if (const auto code = line.parse(argc, argv)) return *code;
  if (remove)
    purge(json);
  else
    list(json);
  return 0;
}

}  // namespace hogwild::cli
