// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hogwild::cli {

/// The number of a name; nothing for one that is not known.
using name_finder = std::function<std::optional<std::uint32_t>(const std::string& name)>;

/// The numbers of the names in a file, one a line, in their order; blank lines count for nothing, and "-" is standard
/// input. Names that are not known are left out, and told unless `quiet`. Throws input_error if the file cannot be
/// read, or has no name that is known; `kind` is "user" or "item" in messages, and `source` the model.
std::vector<std::uint32_t> read_names(const std::string& path, std::string_view kind, const std::string& source,
                                      const name_finder& find, bool quiet);

}  // namespace hogwild::cli
