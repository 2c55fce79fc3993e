// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include <hogwild/detail/platform/build_info.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "json_text.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {

int version_command(int argc, const char* const* argv) {
  bool json = false;
  command_line line("--version", "Says which build this is.", "hogwild --version");
  line.flag("--json", json, "one JSON object");
  if (const auto code = line.parse(argc, argv)) return *code;

  const build_description& build = build_info;
  if (json) {
    nlohmann::ordered_json facts = {{"version", build.version},
                                    {"commit", build.commit},
                                    {"build_type", build.build_type},
                                    {"compiler", build.compiler}};
    if (!build.sanitizer.empty()) facts["sanitizer"] = build.sanitizer;
    print(json_text(facts) + "\n");
    return 0;
  }
  std::string text = "hogwild " + std::string(build.version) + " (commit " + std::string(build.commit) + ", " +
                     std::string(build.build_type) + ", " + std::string(build.compiler);
  if (!build.sanitizer.empty()) text += ", sanitizer " + std::string(build.sanitizer);
  print(text + ")\n");
  return 0;
}

}  // namespace hogwild::cli
