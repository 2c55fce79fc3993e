// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/factor_kernels.hpp>

namespace hogwild {

/// A pair of a user and an item, and another item that is to score below it.
struct compared_pair {
  std::uint32_t user, item, other;
  float weight;  ///< multiplies the loss
};

/// The inner loops of Bayesian personalised ranking (Rendle and others, BPR, 2009, section 4), pair by pair in their
/// order. With x = p_u . (q_i - q_j) + b_i - b_j and the loss log(1 + e^-x), all rows and biases of a pair move by
/// -step times the gradient of its loss plus l2 times the row, from the same values. Of factor_arrays these use the
/// rows, `item_bias`, which may be null alone, `width`, `step` and `l2`. Loads and stores are plain, as those of
/// factor_kernels, and products may be fused with sums.
struct pairwise_kernels {
  void (*sgd)(const factor_arrays& to, const compared_pair* pairs, std::size_t count);
  /// The same with the step divided by sqrt(sum + epsilon) of the row, where the sum includes this pair.
  void (*row_adagrad)(const factor_arrays& to, const factor_sums& sums, const compared_pair* pairs, std::size_t count);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const pairwise_kernels& pairwise_kernels_of(isa set);

}  // namespace hogwild
