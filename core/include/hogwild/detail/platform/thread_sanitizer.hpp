// SPDX-License-Identifier: Apache-2.0
#pragma once

// HOGWILD_THREAD_SANITIZER is defined in builds under ThreadSanitizer. It does not support fences, so fences that only
// processes need, which it cannot see anyway, are left out there.
#if defined(__SANITIZE_THREAD__)
#define HOGWILD_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOGWILD_THREAD_SANITIZER
#endif
#endif
