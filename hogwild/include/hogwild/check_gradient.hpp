// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/task/differences.hpp>
#include <hogwild/model.hpp>

// Checks that a model's gradient is the derivative of its loss; for tests of new models.

namespace hogwild {

/// How a gradient is checked.
struct gradient_check_options {
  /// The parameters at which the gradient is checked. Empty: the model's initial ones plus noise of at most 0.25.
  std::span<const float> parameters{};
  std::size_t rows = 64;  ///< the most rows to check, evenly spread
  std::size_t coordinates =
      1000;                 ///< for each row, the most parameters to check of those read or emitted, evenly spread
  double step = 0x1p-6;     ///< > 0: the difference by which a parameter is moved up and down
  double tolerance = 1e-3;  ///< > 0: the relative error that a partial may have, in addition to rounding
  std::uint64_t seed = 1;   ///< for the noise, and the examples' own random numbers
};

/// The first partial that is wrong.
struct gradient_fault {
  std::size_t row = 0;         ///< from 0
  std::size_t coordinate = 0;  ///< the parameter; 0 for a margin model, whose loss has one slope
  double emitted = 0.0;        ///< the model's gradient; 0 where it emits nothing
  double expected = 0.0;       ///< the slope of the loss
  std::string sentence{};      ///< all of this in words, with the parameter's group
};

/// Compares the partials that a model emits with finite differences of its loss, row by row, for each parameter that
/// loss() or gradient() reads or emits. A partial is right if it lies between the slopes on both sides, so at a kink
/// any slope between them is. It is also a fault if a partial is not finite, or if a general model emits one twice. For
/// a margin model, derivative() is checked at margins around the row's margin or, without `parameters`, around 0 or the
/// label, if labels are numbers.
///
/// Returns nothing if no fault is found. Losses are computed in the model's own precision, so faults of parameters with
/// little influence on the loss may go unnoticed. Switch off dropout and sampling of classes, which are not part of the
/// measured loss. If gradient() draws random numbers, the model must have loss(w, z, random), with which the gradient
/// is compared. Throws input_error for labels that the model does not allow, and config_error for a wrong number of
/// parameters, or if the model reads or emits a parameter that does not exist.
template <model M>
std::optional<gradient_fault> check_gradient(const M& m, const sparse_view& rows,
                                             const gradient_check_options& options = {}) {
  detail::gradient_checker<M> checker(m, rows, options.parameters, options.seed);
  const detail::difference_rule rule{options.step, options.tolerance, options.coordinates};
  for (const std::size_t r : detail::spread(rows.rows(), options.rows))
    if (const auto fault = checker.check(r, rule))
      return gradient_fault{r, fault->coordinate, fault->emitted, fault->expected, fault->sentence};
  return {};
}

/// The same for anything that holds rows and has view(): a dataset, or rows in memory.
template <model M, class Data>
requires requires(const Data& data) {
  { data.view() } -> std::convertible_to<sparse_view>;
}
std::optional<gradient_fault> check_gradient(const M& m, const Data& rows, const gradient_check_options& options = {}) {
  return check_gradient(m, sparse_view(rows.view()), options);
}

}  // namespace hogwild
