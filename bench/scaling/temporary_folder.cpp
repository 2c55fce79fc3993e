// SPDX-License-Identifier: Apache-2.0
#include "temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <hogwild/error.hpp>

namespace hogwild::bench {

temporary_folder::temporary_folder(const std::string& purpose) {
  std::string name = (std::filesystem::temp_directory_path() / ("hogwild-" + purpose + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    const int reason = errno;
    throw resource_error(name + ": cannot be made (" + std::strerror(reason) + "); let TMPDIR name another place");
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hogwild::bench
