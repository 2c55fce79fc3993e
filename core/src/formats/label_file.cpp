// SPDX-License-Identifier: Apache-2.0
#include "formats/label_file.hpp"

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <hogwild/detail/platform/checksum.hpp>

#include "text/byte_reader.hpp"

namespace hogwild::detail {

std::string file_beside(const std::string& data, const std::string& name) {
  std::vector<std::string> candidates = {name};
  for (const std::string_view packed : {".gz", ".xz", ".zst", ".bz2"}) {
    if (name.ends_with(packed)) candidates.push_back(name.substr(0, name.size() - packed.size()));
    candidates.push_back(name + std::string(packed));
  }
  for (const std::string& candidate : candidates) {
    const std::filesystem::path beside = std::filesystem::path(data).parent_path() / candidate;
    if (std::error_code unknown; std::filesystem::exists(beside, unknown)) return beside.string();
  }
  return {};
}

std::uint64_t label_file_digest(const std::string& labels_path, std::uint64_t version) {
  if (labels_path.empty() || labels_path == "-") return version;
  const auto stamp = stamp_of(labels_path);
  if (!stamp) return version;
  const std::uint64_t parts[] = {stamp->bytes, stamp->times(),
                                 checksum(std::span(labels_path.data(), labels_path.size())), version};
  return checksum(std::span<const std::uint64_t>(parts));
}

}  // namespace hogwild::detail
