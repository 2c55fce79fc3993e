// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <hogwild/detail/loop/margin_loss.hpp>

namespace hogwild {

class thread_team;

/// Replaces each number by its sum over all ranks, the same bits everywhere; all ranks call it. Empty: there is one
/// rank.
using rank_sums = std::function<void(std::span<double>)>;

/// Rows as a margin loss takes them; every array has one number for each row.
struct margins_of_rows {
  std::span<const float> margin;    ///< of the weights alone, without constant and offset
  std::span<const float> label;     ///< as the loss takes them
  std::span<const float> offset{};  ///< added after the constant; empty: none
  std::span<const float> weight{};  ///< >= 0; empty: each row counts once

  std::size_t rows() const { return margin.size(); }
};

/// The constant before these rows are seen.
struct known_constant {
  float value = 0.0f;  ///< where the search begins
  /// The weight of earlier rows that led to `value` and are gone: they add rows_before * (c - value)^2 times half the
  /// smoothness of the loss.
  double rows_before = 0.0;
};

/// For a convex loss, the constant c that minimises the sum over the rows of all ranks of weight * loss((margin + c) +
/// offset, label): there the derivatives of the rows cancel to 1e-6 of the sum of their absolute values, or their sum
/// changes sign within the rounding of c. If the loss has no minimum, for example because all rows have one label, c is
/// where the derivatives are 1e-6 of those at margin 0; if nothing is found, c is `known.value`. A loss that is not
/// convex may end higher than it was: callers with such a loss compare.
///
/// The root is bracketed and searched by secants and halving (Dowell and Jarratt, A modified regula falsi method for
/// computing the root of an equation, BIT 1971). Rows whose derivative is the same on both sides of the bracket are
/// then left out, so that a loss with kinks costs about as much as a smooth one. Each evaluation is one pass over the
/// margins. Sums are taken in a fixed order: all ranks, and any number of threads, get the same bits.
float minimise_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                        thread_team& threads, const rank_sums& sum = {});

/// The same, or known.value if the loss is not lower at that constant, which may happen if it is not convex.
float lower_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                     thread_team& threads, const rank_sums& sum = {});

/// The sum over the rows of this process of weight * loss((margin + constant) + offset, label), bit for bit as
/// evaluation computes it (evaluate.hpp).
double sum_of_losses(const margin_loss& loss, const margins_of_rows& rows, float constant, thread_team& threads);

}  // namespace hogwild
