// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace hogwild {

/// Returns `bytes` zeroed bytes of this process, aligned to a page, which live until the last owner releases them.
/// Throws resource_error if there are none. Called by one thread at a time.
using memory_source = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

}  // namespace hogwild
