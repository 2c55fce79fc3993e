// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/kernels/bf16_kernels.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>

namespace hogwild {

/// Numbers that the products of a block are computed of when it is trained.
enum class product_numbers : unsigned char {
  floats,
  bf16  ///< rows and slopes are rounded to bfloat16; sums, and all that is stored, are floats
};

/// What computes them here: "float", or the name of a form of bf16_kernels. Throws config_error where bf16 cannot be
/// had.
std::string_view form_of(product_numbers numbers);

/// The products of a block of sources against targets, all rows of `width` floats: scores, and the gradients of both.
/// All memory is lined_floats, and there is a multiple of 16 targets.
class block_products {
 public:
  /// For at most so many rows. Throws config_error for bf16 where it cannot be had.
  block_products(const embedding_kernels& kernels, product_numbers numbers, std::size_t width, std::size_t sources,
                 std::size_t targets);

  /// scores = sources targets^T, a row for each of n sources; in floats unless they are `trained`.
  void score(const float* sources, std::size_t n, const float* targets, std::size_t m, float* scores, bool trained);
  /// Multiplies the slopes of the scores, which lie as these do: source_gradients = slopes targets, target_gradients =
  /// slopes^T sources.
  void differentiate(const float* slopes, const float* sources, std::size_t n, const float* targets, std::size_t m,
                     float* source_gradients, float* target_gradients);

 private:
  void score_in_bf16(const float* sources, std::size_t n, const float* targets, std::size_t m, float* scores);
  void differentiate_in_bf16(const float* slopes, const float* sources, std::size_t n, const float* targets,
                             std::size_t m, float* source_gradients, float* target_gradients);
  /// Round rows of `length` numbers to pairs_: n rows of pairs within a row, or as many rows as there are pairs of n
  /// numbers.
  void pair_numbers(const float* rows, std::size_t n, std::size_t length);
  void pair_rows(const float* rows, std::size_t n, std::size_t length);
  /// Writes n rows of pairs_ as a matrix of `rows` rows in panels.
  void into_panels(std::size_t n, std::size_t length, std::size_t rows, lined_floats& to) const;

  const embedding_kernels& kernels_;
  const bf16_kernels* bf16_;  ///< null: all in floats
  std::size_t width_;
  lined_floats left_, right_;  ///< factors of a product, in panels
  lined_floats pairs_;         ///< row after row
  lined_floats nothing_;       ///< a row of zeros
};

}  // namespace hogwild
