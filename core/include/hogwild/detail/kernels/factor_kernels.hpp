// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// A rating of one item by one user, each by its row among the users or the items.
struct rating {
  std::uint32_t user, item;
  float value;
};

/// Where a rating's score `mean + b_u + b_i + p_u . q_i` comes from, and how it is changed. Rows of users and items
/// have `width` floats, a multiple of factor_lanes; biases one each, or null where there are none.
struct factor_arrays {
  float* users = nullptr;
  float* items = nullptr;
  float* user_bias = nullptr;
  float* item_bias = nullptr;
  std::size_t width = 0;
  float mean = 0;
  float step = 0;
  float l2 = 0;                    ///< what a rating adds to the gradient of its rows: l2 times the row,
  const float* user_l2 = nullptr;  ///< or, where given, that of each user
  const float* item_l2 = nullptr;  ///< and of each item; both are given, or none is
};

/// What row_adagrad keeps: for each row the sum of its gradients' mean squares, in the first of as many floats as the
/// row has.
struct factor_sums {
  float* users = nullptr;
  float* items = nullptr;
  float* user_bias = nullptr;
  float* item_bias = nullptr;
  float epsilon = 0;  ///< joins the sum under the root
};

/// Rows of factors are padded to so many floats: a cache line.
inline constexpr std::size_t factor_lanes = 16;

/// The inner loops of matrix factorisation, rating by rating in their order: of the error d = score - value the row p
/// is given p - step * (d * q + l2 * p), and q likewise, from the same p. Plain loads and stores: nobody else writes
/// these rows meanwhile, or overtaken updates are what was asked for (Hogwild!).
///
/// Products may be fused with sums, so that instruction sets differ in the last bits.
struct factor_kernels {
  void (*sgd)(const factor_arrays& to, const rating* ratings, std::size_t count);
  /// The same with step / sqrt(sum + epsilon) for a row, whose sum this rating has joined.
  void (*row_adagrad)(const factor_arrays& to, const factor_sums& sums, const rating* ratings, std::size_t count);
  /// out[k] = the score of rating k; changes nothing.
  void (*scores)(const factor_arrays& from, const rating* ratings, std::size_t count, float* out);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const factor_kernels& factor_kernels_of(isa set);

}  // namespace hogwild
