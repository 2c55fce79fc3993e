// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/platform/thread_sanitizer.hpp>
#include <hogwild/detail/sharing/direct.hpp>

namespace hogwild {

/// Whether kernels may train on arrays that others write. They read and write whole vectors at a time, as all dense
/// exchanges do (param_view.hpp), which ThreadSanitizer cannot follow.
#if defined(HOGWILD_THREAD_SANITIZER)
inline constexpr bool kernels_may_race = false;
#else
inline constexpr bool kernels_may_race = true;
#endif

/// The shared arrays, handed out whole.
class whole_array : public direct_sharing<float, update::lossy> {
 public:
  static constexpr sharing_traits traits{.whole_arrays = true, .has_state = true, .races = true};

  whole_array(const param_store& store, std::size_t slot)
      : direct_sharing<float, update::lossy>(store, slot), values_(store.parameters<float>()) {
    if (store.shape().state_arrays > 0) state_ = store.state<float>(0);
  }
  std::span<float> values() const { return values_; }
  std::span<float> state_values() const { return state_; }

 private:
  std::span<float> values_, state_;
};

}  // namespace hogwild
