// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace hogwild {

/// Products of matrices of bfloat16, which are floats without their lower 16 bits. Products of two numbers are exact,
/// and sums are floats; denormal numbers may count as 0.
///
/// A pair holds two numbers that follow each other in depth, the first in its lower half, and takes the place of a
/// float. Matrices of pairs lie in panels as those of floats in embedding_kernels: panel j holds their columns 16 j ..
/// 16 j + 15, row after row. So memory of a product is a whole number of cache lines, on which it begins.
struct bf16_kernels {
  std::string_view name;
  /// C = A B. A has `rows` rows of `pairs` pairs; rows up to a multiple of 16 follow, and may hold anything. B has
  /// `pairs` rows of `columns` pairs, each of two numbers of one column. `pairs` and `columns` are multiples of 16. A
  /// row of C, which has floats, begins `apart` floats behind the one before.
  void (*product)(std::size_t rows, std::size_t columns, std::size_t pairs, const float* a, const float* b, float* c,
                  std::size_t apart);
};

/// The forms that this build has, and this CPU and its system can run, the fastest first. They may differ in the order
/// of sums.
std::span<const bf16_kernels* const> bf16_forms();

/// The fastest form. Throws config_error if there is none.
const bf16_kernels& bf16_kernels_here();

}  // namespace hogwild
