// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild::device {

/// Who may use the same weights at the same time.
enum class memory_scope {
  device,  ///< this device alone
  system   ///< CPUs and other devices, too
};

/// Parameters that any number of warps read and add to at the same time. Each access is relaxed: never torn, and
/// without any order between two elements. An exact add is never lost; it needs memory in which the device's atomic
/// operations are atomic for everybody in the scope. A lossy add is a load and a store, which are atomic everywhere.
///
/// On a GPU these are accesses of global memory, which holds all parameters; on the CPU those of param_view.
template <update_kind Update, memory_scope Scope>
class weights {
  static_assert(Update != update_kind::locked, "a warp cannot wait for a lock of one of its lanes");

 public:
  HOGWILD_DEVICE_CODE explicit weights(float* data) : data_(data) {}

  HOGWILD_DEVICE_CODE float load(std::size_t j) const {
#if defined(__CUDA_ARCH__)
    float value;
    if constexpr (Scope == memory_scope::device) {
      asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(global(j)));
    } else {
      asm volatile("ld.relaxed.sys.global.f32 %0, [%1];" : "=f"(value) : "l"(global(j)));
    }
    return value;
#else
    return view(j).load(0);
#endif
  }

  HOGWILD_DEVICE_CODE void add(std::size_t j, float delta) const {
#if defined(__CUDA_ARCH__)
    if constexpr (Update == update_kind::lossy) {
      store(j, load(j) + delta);
    } else if constexpr (Scope == memory_scope::device) {
      asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(global(j)), "f"(delta));
    } else {
      asm volatile("red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(global(j)), "f"(delta));
    }
#else
    view(j).add(0, delta);
#endif
  }

  /// Adds and returns the value that the add started from.
  HOGWILD_DEVICE_CODE float read_add(std::size_t j, float delta) const {
#if defined(__CUDA_ARCH__)
    float before;
    if constexpr (Update == update_kind::lossy) {
      before = load(j);
      store(j, before + delta);
    } else if constexpr (Scope == memory_scope::device) {
      asm volatile("atom.relaxed.gpu.global.add.f32 %0, [%1], %2;" : "=f"(before) : "l"(global(j)), "f"(delta));
    } else {
      asm volatile("atom.relaxed.sys.global.add.f32 %0, [%1], %2;" : "=f"(before) : "l"(global(j)), "f"(delta));
    }
    return before;
#else
    return view(j).read_add(0, delta);
#endif
  }

  /// Adds to the value `seen` that was read before: a lossy add stores the sum, so that adds of others since then are
  /// lost.
  HOGWILD_DEVICE_CODE void add_to(std::size_t j, float seen, float delta) const {
    if constexpr (Update == update_kind::exact) {
      add(j, delta);
    } else {
      store(j, seen + delta);
    }
  }

  /// As param_view's on a CPU, which reads ahead and delays stores; nothing on a GPU, which does neither for so long.
  HOGWILD_DEVICE_CODE void settle_adds() const {
#if !defined(__CUDA_ARCH__)
    view(0).settle_adds();
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  __device__ std::size_t global(std::size_t j) const {
    return __cvta_generic_to_global(data_ + j);
  }
  __device__ void store(std::size_t j, float value) const {
    if constexpr (Scope == memory_scope::device) {
      asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(global(j)), "f"(value));
    } else {
      asm volatile("st.relaxed.sys.global.f32 [%0], %1;" ::"l"(global(j)), "f"(value));
    }
  }
#else
  using policy = std::conditional_t<Update == update_kind::exact, update::exact, update::lossy>;
  param_view<float, policy> view(std::size_t j) const {
    return {data_ + j, 1};
  }
  void store(std::size_t j, float value) const {
    view(j).store(0, value);
  }
#endif

  float* data_;
};

}  // namespace hogwild::device
