// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "platform/unique_fd.hpp"

namespace hogwild::detail {

/// An unnamed file in this folder: it vanishes with its last user, however that one ends. Empty if the folder does not
/// support this; errno says why.
unique_fd open_nameless(const std::filesystem::path& folder);

}  // namespace hogwild::detail
