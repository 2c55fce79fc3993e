// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/platform/thread_sanitizer.hpp>

// GCC defines a macro, clang has a feature.
#if defined(__SANITIZE_ADDRESS__)
#define HOGWILD_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HOGWILD_ADDRESS_SANITIZER
#endif
#endif

namespace hogwild::test {

/// Whether a sanitizer is used, which makes a test five to twenty times as slow. More repetitions of the same code do
/// not help it, so tests may repeat less.
#if defined(HOGWILD_THREAD_SANITIZER)
inline constexpr bool sanitized = true, thread_sanitized = true;
#elif defined(HOGWILD_ADDRESS_SANITIZER)
inline constexpr bool sanitized = true, thread_sanitized = false;
#else
inline constexpr bool sanitized = false, thread_sanitized = false;
#endif

}  // namespace hogwild::test
