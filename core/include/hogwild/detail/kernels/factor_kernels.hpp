// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// A rating, with the user's row among the users and the item's row among the items.
struct rating {
  std::uint32_t user, item;
  float value;
};

/// The arrays from which a rating's score `mean + b_u + b_i + p_u . q_i` is computed and which it changes. Rows of
/// users and items have `width` floats, a multiple of factor_lanes. There is one bias for each row, or the pointers are
/// null.
struct factor_arrays {
  float* users = nullptr;
  float* items = nullptr;
  float* user_bias = nullptr;
  float* item_bias = nullptr;
  std::size_t width = 0;
  float mean = 0;
  float step = 0;
  float l2 = 0;                    ///< a rating adds l2 times the row to the gradient of its rows,
  const float* user_l2 = nullptr;  ///< or this for each user, if given,
  const float* item_l2 = nullptr;  ///< and this for each item; both are given, or none is
  /// Ratings below this weigh exp(3/4 (value - this)), others 1.
  float full_weight_from = -std::numeric_limits<float>::infinity();
};

/// The state of row_adagrad: for each row the sum of its gradients' mean squares. Sums of rows of users and items are
/// `apart` floats from each other, those of biases one.
struct factor_sums {
  float* users = nullptr;
  float* items = nullptr;
  float* user_bias = nullptr;
  float* item_bias = nullptr;
  std::size_t apart = 1;
  float epsilon = 1e-8f;  ///< added to the sum under the root
};

/// Those in an array of users, items, biases of users if they have them, and biases of items.
inline factor_sums sums_in(float* state, std::size_t users, std::size_t items, bool user_biases, std::size_t apart) {
  float* const biases = state + (users + items) * apart;
  return {.users = state,
          .items = state + users * apart,
          .user_bias = user_biases ? biases : nullptr,
          .item_bias = user_biases ? biases + users : biases,
          .apart = apart};
}

/// Rows of factors are padded to a multiple of this: a cache line.
inline constexpr std::size_t factor_lanes = 16;

/// The inner loops of matrix factorisation, rating by rating in their order. With d = weight * (score - value), row p
/// becomes p - step * (d * q + l2 * p), and q likewise, from the same p. Loads and stores are plain: either nobody else
/// writes these rows meanwhile, or lost updates are accepted (Hogwild!).
///
/// Products may be fused with sums, so results differ in the last bits between instruction sets.
struct factor_kernels {
  void (*sgd)(const factor_arrays& to, const rating* ratings, std::size_t count);
  /// The same with the step divided by sqrt(sum + epsilon) of the row, where the sum includes this rating.
  void (*row_adagrad)(const factor_arrays& to, const factor_sums& sums, const rating* ratings, std::size_t count);
  /// out[k] = the score of rating k; changes nothing.
  void (*scores)(const factor_arrays& from, const rating* ratings, std::size_t count, float* out);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const factor_kernels& factor_kernels_of(isa set);

}  // namespace hogwild
