// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <hogwild/detail/task/margin_loss.hpp>

namespace hogwild {

class thread_team;

/// Makes of each number its sum over all ranks, the same bits everywhere; all ranks call it. Empty: there is one rank.
using rank_sums = std::function<void(std::span<double>)>;

/// Rows as a margin loss sees them, one number of each row in every array.
struct margins_of_rows {
  std::span<const float> margin;    ///< what the weights make of a row, without constant and offset
  std::span<const float> label;     ///< as the loss takes them
  std::span<const float> offset{};  ///< added behind the constant; empty: none
  std::span<const float> weight{};  ///< >= 0; empty: each row counts once

  std::size_t rows() const { return margin.size(); }
};

/// The constant as it was before these rows are looked at.
struct known_constant {
  float value = 0.0f;  ///< where the search begins
  /// Rows, counted by their weight, that have said `value` before and are not there any more: each adds (c - value)^2
  /// times half the smoothness of the loss.
  double rows_before = 0.0;
};

/// The constant c at which the sum over the rows of all ranks of weight * loss((margin + c) + offset, label) is least,
/// for a convex loss: there the derivatives of the rows cancel to 1e-6 of the sum of their absolute values, or they
/// change sign within the rounding of c. Where the loss falls for ever, as of rows with one label, c goes to where the
/// derivatives are 1e-6 of what they are at margin 0; where nothing is found it is `known.value`. A loss that is not
/// convex may be left higher than it was: whoever has one compares.
///
/// A root is looked for between two sides, by secants and halves (Dowell and Jarratt, A modified regula falsi method
/// for computing the root of an equation, BIT 1971). Rows whose derivative is the same on both sides are then left out,
/// so that a loss with kinks costs about as much as a smooth one. Each evaluation is one pass over the margins. Sums
/// are taken in a fixed order: all ranks, and any number of threads, get the same bits.
float minimise_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                        thread_team& threads, const rank_sums& sum = {});

/// The same, or known.value where the loss is not lower there, as it may be where it is not convex.
float lower_constant(const margin_loss& loss, const margins_of_rows& rows, const known_constant& known,
                     thread_team& threads, const rank_sums& sum = {});

/// The sum over the rows of this process of weight * loss((margin + constant) + offset, label), with the bits that
/// measuring gives (evaluate.hpp).
double sum_of_losses(const margin_loss& loss, const margins_of_rows& rows, float constant, thread_team& threads);

}  // namespace hogwild
