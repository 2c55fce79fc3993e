// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace hogwild {

/// How the vector of an entity and that of a relation make the vector whose nearest entities are the answers.
enum class triple_composition : unsigned char {
  sum,              ///< e + r
  product,          ///< e_k r_k
  complex_product,  ///< the same of complex numbers: the first half of a vector are real parts, the second imaginary
  rotation          ///< the same, with r_k = cos a_k + i sin a_k, where the angles a_k are the relation's parameters
};

constexpr bool is_complex(triple_composition by) {
  return by == triple_composition::complex_product || by == triple_composition::rotation;
}

// All spans have the width of an entity's vector, but a relation's parameters, which are half as many angles under
// rotation. Loops have neither branches nor sums, so all instruction sets give the same bits.

/// Computes the vector r from a relation's parameters.
void unfold_relation(triple_composition by, std::span<const float> parameters, std::span<float> r);
/// Composes an entity and a relation.
void compose(triple_composition by, std::span<const float> e, std::span<const float> r, std::span<float> to);
/// Turns the gradient of what compose() made into those of e and r.
void through_composition(triple_composition by, std::span<const float> e, std::span<const float> r,
                         std::span<const float> gradient, std::span<float> of_e, std::span<float> of_r);
/// Turns the gradient of r into that of the relation's parameters, which is the first part of the same memory.
void fold_relation_gradient(triple_composition by, std::span<const float> r, std::span<float> gradient);

}  // namespace hogwild
