// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace hogwild {

/// Gives so many zeroed bytes of this process, from a page on, which stand until the last owner lets go. Throws
/// resource_error where there are none. Called by one thread at a time.
using memory_source = std::function<std::shared_ptr<std::byte>(std::size_t bytes)>;

}  // namespace hogwild
