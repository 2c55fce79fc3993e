// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include <hogwild/detail/data/cache_registry.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "data_files.hpp"
#include "standard_streams.hpp"

namespace hogwild::cli {
namespace {

/// The current folder, and the one for caches that cannot lie beside their data.
std::vector<std::string> usual_folders() {
  std::vector<std::string> folders = {"."};
  const std::filesystem::path fallback = default_cache_folder();
  std::error_code fault;
  // A folder that cannot be read is refused later, when it is read.
  if (!fallback.empty() && std::filesystem::status(fallback, fault).type() != std::filesystem::file_type::not_found)
    folders.push_back(fallback.string());
  return folders;
}

std::string megabytes(std::uint64_t bytes) {
  return formatted("%.1f MB", static_cast<double>(bytes) / 1e6);
}

std::string to_text(const std::vector<cache_info>& caches, bool purged) {
  std::uint64_t bytes = 0;
  std::string text;
  for (const cache_info& c : caches) {
    bytes += c.bytes;
    text += (purged ? "removed " : "") + printable(c.path.string()) + ": " + megabytes(c.bytes);
    text += !c.valid ? ", of another version or damaged\n"
                     : ", " + std::to_string(c.rows) + " rows, " + std::to_string(c.features) + " features, " +
                           std::to_string(c.nonzeros) + " nonzeros\n";
  }
  return text + std::to_string(caches.size()) + " caches, " + megabytes(bytes) + (purged ? " removed\n" : "\n");
}

nlohmann::ordered_json to_json(const std::vector<cache_info>& caches) {
  auto all = nlohmann::ordered_json::array();
  for (const cache_info& c : caches) {
    all.push_back({{"path", c.path.string()},
                   {"bytes", c.bytes},
                   {"valid", c.valid},
                   {"rows", c.rows},
                   {"features", c.features},
                   {"nonzeros", c.nonzeros},
                   {"source_bytes", c.source_bytes}});
  }
  return all;
}

}  // namespace

int cache_command(int argc, const char* const* argv) {
  std::vector<std::string> folders;
  bool list = false, purge = false, json = false;
  command_line line("cache",
                    "Lists or removes dataset caches. Without FOLDER it searches the current folder and the default of "
                    "--cache-dir ($XDG_CACHE_HOME/hogwild, else ~/.cache/hogwild).",
                    "hogwild cache --list data/");
  line.positional("FOLDER", folders, "folder to search (without its subfolders)");
  line.flag("--list", list, "list the caches (the default)");
  line.flag("--purge", purge, "remove them; their data are parsed again when they are next used");
  line.flag("--json", json, "one JSON array");
  line.excludes("--list", "--purge");
  if (const auto code = line.parse(argc, argv)) return *code;

  if (folders.empty()) folders = usual_folders();
  std::vector<cache_info> all;
  for (const std::string& folder : folders) {
    const auto found = purge ? purge_caches(folder) : list_caches(folder);
    all.insert(all.end(), found.begin(), found.end());
  }
  print(json ? json_text(to_json(all)) + "\n" : to_text(all, purge));
  return 0;
}

}  // namespace hogwild::cli
