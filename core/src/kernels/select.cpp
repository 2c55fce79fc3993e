// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include <hogwild/error.hpp>

#include "instruction_sets.hpp"

namespace hogwild {

#ifdef HOGWILD_X86_KERNELS
#define HOGWILD_KERNELS_OF(kind, set) \
  ((set) == isa::avx512 ? detail::kind##_avx512 : (set) == isa::avx2 ? detail::kind##_avx2 : detail::kind##_scalar)
#else
#define HOGWILD_KERNELS_OF(kind, set) (static_cast<void>(set), detail::kind##_scalar)
#endif

template <class Index, class Value>
const margin_kernels<Index, Value>& kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(margin, set).of<Index, Value>();
}

template <class Index, class Value>
const lane_kernels<Index, Value>& lane_kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(lane, set).of<Index, Value>();
}

template <class Arrays, class Index, class Value>
const row_kernels<Arrays, Index, Value>& row_kernels_of(isa set) {
  if constexpr (std::is_same_v<Arrays, machine_arrays>) return HOGWILD_KERNELS_OF(machine, set).of<Index, Value>();
  if constexpr (std::is_same_v<Arrays, machine_arrays_of<half>>)
    return HOGWILD_KERNELS_OF(half_machine, set).of<Index, Value>();
  if constexpr (std::is_same_v<Arrays, class_arrays>) return HOGWILD_KERNELS_OF(classes, set).of<Index, Value>();
}

template const margin_kernels<std::uint32_t, float>& kernels_of(isa);
template const margin_kernels<std::uint32_t, half>& kernels_of(isa);
template const margin_kernels<std::uint16_t, float>& kernels_of(isa);
template const margin_kernels<std::uint16_t, half>& kernels_of(isa);
template const lane_kernels<std::uint32_t, float>& lane_kernels_of(isa);
template const lane_kernels<std::uint32_t, half>& lane_kernels_of(isa);
template const lane_kernels<std::uint16_t, float>& lane_kernels_of(isa);
template const lane_kernels<std::uint16_t, half>& lane_kernels_of(isa);
template const row_kernels<machine_arrays, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<machine_arrays, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<machine_arrays, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<machine_arrays, std::uint16_t, half>& row_kernels_of(isa);
template const row_kernels<machine_arrays_of<half>, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<machine_arrays_of<half>, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<machine_arrays_of<half>, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<machine_arrays_of<half>, std::uint16_t, half>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint16_t, half>& row_kernels_of(isa);

const cut_kernels& cut_kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(cut, set);
}

template <class Factor>
const field_kernels_on<Factor>& field_kernels_of(isa set) {
  if constexpr (std::is_same_v<Factor, float>) return HOGWILD_KERNELS_OF(field, set);
  if constexpr (std::is_same_v<Factor, half>) return HOGWILD_KERNELS_OF(half_field, set);
}

template const field_kernels_on<float>& field_kernels_of(isa);
template const field_kernels_on<half>& field_kernels_of(isa);

const half_kernels& half_kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(halves, set);
}

const factor_kernels& factor_kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(factor, set);
}

const window_kernels& window_kernels_of(isa set) {
  return HOGWILD_KERNELS_OF(window, set);
}

std::string layer_kernels_missing() {
  return "is not part of this build, which was made without Eigen: install Eigen 3.4 (libeigen3-dev on Debian), "
         "configure and build again";
}

#ifdef HOGWILD_HAS_EIGEN

bool has_layer_kernels() {
  return true;
}

const layer_kernels& layer_kernels_of(isa set) {
  if (set == isa::automatic) set = has_isa(isa::avx512) ? isa::avx512 : has_isa(isa::avx2) ? isa::avx2 : isa::scalar;
  return HOGWILD_KERNELS_OF(layer, set);
}

#else

bool has_layer_kernels() {
  return false;
}

const layer_kernels& layer_kernels_of(isa) {
  throw config_error("a neural net " + layer_kernels_missing());
}

#endif

}  // namespace hogwild

#undef HOGWILD_KERNELS_OF
