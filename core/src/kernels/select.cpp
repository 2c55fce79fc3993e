// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include <hogwild/error.hpp>

#include "instruction_sets.hpp"

namespace hogwild {

namespace {

#ifdef HOGWILD_X86_KERNELS
const detail::unfused_kernels& unfused(isa set) {
  return set == isa::avx512 ? detail::unfused_avx512 : set == isa::avx2 ? detail::unfused_avx2 : detail::unfused_scalar;
}
const detail::fused_kernels& fused(isa set) {
  return set == isa::avx512 ? detail::fused_avx512 : set == isa::avx2 ? detail::fused_avx2 : detail::fused_scalar;
}
#else
const detail::unfused_kernels& unfused(isa) {
  return detail::unfused_scalar;
}
const detail::fused_kernels& fused(isa) {
  return detail::fused_scalar;
}
#endif

}  // namespace

template <class Index, class Value>
const margin_kernels<Index, Value>& kernels_of(isa set) {
  return unfused(set).margin.of<Index, Value>();
}

template <class Index, class Value>
const lane_kernels<Index, Value>& lane_kernels_of(isa set) {
  return unfused(set).lane.of<Index, Value>();
}

template <class Arrays, class Index, class Value>
const row_kernels<Arrays, Index, Value>& row_kernels_of(isa set) {
  if constexpr (std::is_same_v<Arrays, fm_arrays>) return unfused(set).machine.of<Index, Value>();
  if constexpr (std::is_same_v<Arrays, fm_arrays_of<half>>) return unfused(set).half_fm.of<Index, Value>();
  if constexpr (std::is_same_v<Arrays, class_arrays>) return unfused(set).classes.of<Index, Value>();
}

template const margin_kernels<std::uint32_t, float>& kernels_of(isa);
template const margin_kernels<std::uint32_t, half>& kernels_of(isa);
template const margin_kernels<std::uint16_t, float>& kernels_of(isa);
template const margin_kernels<std::uint16_t, half>& kernels_of(isa);
template const lane_kernels<std::uint32_t, float>& lane_kernels_of(isa);
template const lane_kernels<std::uint32_t, half>& lane_kernels_of(isa);
template const lane_kernels<std::uint16_t, float>& lane_kernels_of(isa);
template const lane_kernels<std::uint16_t, half>& lane_kernels_of(isa);
template const row_kernels<fm_arrays, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<fm_arrays, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<fm_arrays, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<fm_arrays, std::uint16_t, half>& row_kernels_of(isa);
template const row_kernels<fm_arrays_of<half>, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<fm_arrays_of<half>, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<fm_arrays_of<half>, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<fm_arrays_of<half>, std::uint16_t, half>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint32_t, float>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint32_t, half>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint16_t, float>& row_kernels_of(isa);
template const row_kernels<class_arrays, std::uint16_t, half>& row_kernels_of(isa);

const cut_kernels& cut_kernels_of(isa set) {
  return unfused(set).cut;
}

template <class Factor>
const field_kernels_on<Factor>& field_kernels_of(isa set) {
  if constexpr (std::is_same_v<Factor, float>) return unfused(set).field;
  if constexpr (std::is_same_v<Factor, half>) return unfused(set).half_field;
}

template const field_kernels_on<float>& field_kernels_of(isa);
template const field_kernels_on<half>& field_kernels_of(isa);

const half_kernels& half_kernels_of(isa set) {
  return unfused(set).halves;
}

const embedding_kernels& embedding_kernels_of(isa set) {
  return unfused(choose_dense_isa(set)).embedding;
}

const factor_kernels& factor_kernels_of(isa set) {
  return fused(set).factor;
}

const pairwise_kernels& pairwise_kernels_of(isa set) {
  return fused(set).pairwise;
}

const window_kernels& window_kernels_of(isa set) {
  return fused(set).window;
}

std::string layer_kernels_missing() {
  return "is not part of this build, which was made without Eigen: install Eigen 3.4 (libeigen3-dev on Debian), "
         "configure and build again";
}

bool has_layer_kernels() {
  return detail::fused_scalar.layer != nullptr;
}

const layer_kernels& layer_kernels_of(isa set) {
  if (!has_layer_kernels()) throw config_error("a neural net " + layer_kernels_missing());
  if (set == isa::automatic) set = has_isa(isa::avx512) ? isa::avx512 : has_isa(isa::avx2) ? isa::avx2 : isa::scalar;
  return *fused(set).layer;
}

}  // namespace hogwild
