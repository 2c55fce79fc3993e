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

// Whether a model's gradient is that of its loss: for the tests of whoever writes a model.

namespace hogwild {

/// How a gradient is checked.
struct gradient_check_options {
  /// Where: as many as the model has; empty: as it begins, and noise of at most a quarter beside it.
  std::span<const float> parameters{};
  std::size_t rows = 64;           ///< at most so many, spread over all
  std::size_t coordinates = 1000;  ///< of a row, at most so many of those that are read or emitted, spread over all
  double step = 0x1p-6;            ///< > 0: how far a parameter is moved to either side
  double tolerance = 1e-3;         ///< > 0: by which fraction a partial may be off, beside what rounding explains
  std::uint64_t seed = 1;          ///< of noise, and of the examples' own random numbers
};

/// The first partial that is not that of the loss.
struct gradient_fault {
  std::size_t row = 0;         ///< from 0
  std::size_t coordinate = 0;  ///< the parameter; 0 for a margin model, whose loss has one slope
  double emitted = 0.0;        ///< the model's gradient; 0 where it emits nothing
  double expected = 0.0;       ///< by how much the loss rises a unit
  std::string sentence{};      ///< all of that, with the parameter's group
};

/// Compares what a model emits with differences of its loss, row by row, for each parameter that loss or gradient read
/// or emit. A partial holds where it lies between the slopes to either side, so that a kink may have any of its slopes.
/// Also a fault: a partial that is not finite, or of a general model emitted twice. A margin model is checked by its
/// derivative, at margins around what is predicted, or around its labels.
///
/// Returns nothing where all hold. Losses are compared in the model's own precision, so that parameters that hardly
/// matter to the loss show little. Leave out dropout and sampling of classes: they are no part of the loss that is
/// measured. A model whose gradient draws is compared with loss(w, z, random), which it has to have. Throws input_error
/// for labels that do not suit the model, config_error for parameters that are not as many as the model has, or that it
/// reads or emits beside them.
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

/// The same for anything that holds rows and says view(): a dataset, or rows in memory.
template <model M, class Data>
requires requires(const Data& data) {
  { data.view() } -> std::convertible_to<sparse_view>;
}
std::optional<gradient_fault> check_gradient(const M& m, const Data& rows, const gradient_check_options& options = {}) {
  return check_gradient(m, sparse_view(rows.view()), options);
}

}  // namespace hogwild
