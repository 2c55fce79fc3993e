// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// A file in this folder that no name leads to: it vanishes with its last user, however that one ends. None where the
/// folder takes none; errno says why.
unique_fd open_nameless(const std::filesystem::path& folder);

}  // namespace hogwild::detail
