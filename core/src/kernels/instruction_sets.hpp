// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <hogwild/detail/kernels/cut_kernels.hpp>
#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/kernels/half_kernels.hpp>
#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/kernels/window_kernels.hpp>

// The kernels of each instruction set; select.cpp chooses among them. Those for AVX2 and AVX-512 exist only on x86-64.

namespace hogwild::detail {

/// One instruction set's kernels for every kind of row.
template <template <class, class> class Kernels>
struct row_kernel_set {
  const Kernels<std::uint32_t, float>* u32_float;
  const Kernels<std::uint32_t, half>* u32_half;
  const Kernels<std::uint16_t, float>* u16_float;
  const Kernels<std::uint16_t, half>* u16_half;

  template <class Index, class Value>
  const Kernels<Index, Value>& of() const {
    if constexpr (std::is_same_v<Index, std::uint32_t>) {
      if constexpr (std::is_same_v<Value, float>) return *u32_float;
      if constexpr (std::is_same_v<Value, half>) return *u32_half;
    } else {
      if constexpr (std::is_same_v<Value, float>) return *u16_float;
      if constexpr (std::is_same_v<Value, half>) return *u16_half;
    }
  }
};
using margin_kernel_set = row_kernel_set<margin_kernels>;
using lane_kernel_set = row_kernel_set<lane_kernels>;
template <class Index, class Value>
using machine_row_kernels = row_kernels<machine_arrays, Index, Value>;
using machine_kernel_set = row_kernel_set<machine_row_kernels>;
template <class Index, class Value>
using half_machine_row_kernels = row_kernels<machine_arrays_of<half>, Index, Value>;
using half_machine_kernel_set = row_kernel_set<half_machine_row_kernels>;
template <class Index, class Value>
using class_row_kernels = row_kernels<class_arrays, Index, Value>;
using class_kernel_set = row_kernel_set<class_row_kernels>;

extern const margin_kernel_set margin_scalar, margin_avx2, margin_avx512;
extern const lane_kernel_set lane_scalar, lane_avx2, lane_avx512;
extern const machine_kernel_set machine_scalar, machine_avx2, machine_avx512;
extern const half_machine_kernel_set half_machine_scalar, half_machine_avx2, half_machine_avx512;
extern const class_kernel_set classes_scalar, classes_avx2, classes_avx512;
extern const cut_kernels cut_scalar, cut_avx2, cut_avx512;
extern const field_kernels field_scalar, field_avx2, field_avx512;
extern const field_kernels_on<half> half_field_scalar, half_field_avx2, half_field_avx512;
extern const half_kernels halves_scalar, halves_avx2, halves_avx512;
extern const factor_kernels factor_scalar, factor_avx2, factor_avx512;
extern const window_kernels window_scalar, window_avx2, window_avx512;
/// If there is Eigen.
extern const layer_kernels layer_scalar, layer_avx2, layer_avx512;

}  // namespace hogwild::detail
