// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hogwild {

/// The sources and the build of this library. Run records contain it, and processes that attach to a segment compare
/// it.
struct build_description {
  std::string_view version;     ///< major.minor.patch
  std::string_view commit;      ///< 12 digits, followed by "-dirty" if files were changed; "unknown" outside git
  std::string_view build_type;  ///< Release, Debug, ...
  std::string_view compiler;    ///< name and version
  std::string_view sanitizer;   ///< "thread", "address,undefined", or empty
};

/// Constant, in static storage; safe to read from anywhere once main has begun.
extern const build_description build_info;

}  // namespace hogwild
