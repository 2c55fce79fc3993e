// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <hogwild/detail/kernels/cut_kernels.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/kernels/half_kernels.hpp>
#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/kernels/margin_kernels.hpp>
#include <hogwild/detail/kernels/pairwise_kernels.hpp>
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
template <class Index, class Value>
using fm_row_kernels = row_kernels<fm_arrays, Index, Value>;
template <class Index, class Value>
using half_fm_row_kernels = row_kernels<fm_arrays_of<half>, Index, Value>;
template <class Index, class Value>
using class_row_kernels = row_kernels<class_arrays, Index, Value>;

/// One instruction set's kernels that give the same bits on all sets: they fuse a product with a sum everywhere, as the
/// products of embeddings, or nowhere.
struct unfused_kernels {
  row_kernel_set<margin_kernels> margin;
  row_kernel_set<lane_kernels> lane;
  row_kernel_set<class_row_kernels> classes;
  row_kernel_set<fm_row_kernels> machine;
  row_kernel_set<half_fm_row_kernels> half_fm;
  field_kernels field;
  field_kernels_on<half> half_field;
  cut_kernels cut;
  half_kernels halves;
  embedding_kernels embedding;
};
extern const unfused_kernels unfused_scalar, unfused_avx2, unfused_avx512;

/// One instruction set's kernels that may fuse products with sums.
struct fused_kernels {
  factor_kernels factor;
  pairwise_kernels pairwise;
  window_kernels window;
  const layer_kernels* layer;  ///< null if the build has no Eigen
};
extern const fused_kernels fused_scalar, fused_avx2, fused_avx512;

}  // namespace hogwild::detail
