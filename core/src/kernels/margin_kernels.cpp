// SPDX-License-Identifier: Apache-2.0
#include <hogwild/core/kernels/margin_kernels.hpp>

#include <type_traits>

#include "instruction_sets.hpp"

namespace hogwild {
namespace {

const detail::margin_kernel_set& set_of(isa set) {
#ifdef HOGWILD_X86_KERNELS
  if (set == isa::avx512) return detail::avx512_kernels;
  if (set == isa::avx2) return detail::avx2_kernels;
#endif
  static_cast<void>(set);
  return detail::scalar_kernels;
}

}  // namespace

template <class Index, class Value>
const margin_kernels<Index, Value>& kernels_of(isa set) {
  const detail::margin_kernel_set& kernels = set_of(set);
  if constexpr (std::is_same_v<Index, std::uint32_t>) {
    if constexpr (std::is_same_v<Value, float>) return *kernels.u32_float;
    if constexpr (std::is_same_v<Value, half>) return *kernels.u32_half;
  } else {
    if constexpr (std::is_same_v<Value, float>) return *kernels.u16_float;
    if constexpr (std::is_same_v<Value, half>) return *kernels.u16_half;
  }
}

template const margin_kernels<std::uint32_t, float>& kernels_of(isa);
template const margin_kernels<std::uint32_t, half>& kernels_of(isa);
template const margin_kernels<std::uint16_t, float>& kernels_of(isa);
template const margin_kernels<std::uint16_t, half>& kernels_of(isa);

}  // namespace hogwild
