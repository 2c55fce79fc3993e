// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hogwild {

/// How a search assigns epochs to trials.
enum class strategy_kind {
  grid,      ///< every point of the grid, for all epochs
  random,    ///< drawn points, for all epochs
  halving,   ///< drawn points, of which the best 1/eta go on: successive halving
  hyperband  ///< several such brackets, from many trials of few epochs to few trials of many
};

std::string_view name_of(strategy_kind kind);

/// The number of trials of a bracket that are trained up to a total of `epochs`.
struct search_rung {
  std::size_t trials, epochs;
  bool operator==(const search_rung&) const = default;
};

/// Trials that are compared with each other: all are trained for the first rung, and the best go on to the next.
struct search_bracket {
  std::vector<search_rung> rungs;  ///< never empty; trials fall, epochs rise
  bool operator==(const search_bracket&) const = default;
};

/// A bracket of one rung, for grid and random.
search_bracket whole_bracket(std::size_t trials, std::size_t epochs);

/// Successive halving (Jamieson and Talwalkar, AISTATS 2016, algorithm 1) with a rung for each power of eta. Of
/// `trials` that begin, floor(trials / eta^i) are trained up to epochs / eta^(s - i), where s is the largest number for
/// which both eta^s <= epochs and eta^s <= trials. Epochs are rounded to the nearest number. All >= 1, eta >= 2.
search_bracket halving_bracket(std::size_t trials, std::size_t epochs, std::size_t eta);

/// Hyperband (Li et al., JMLR 18, 2018, algorithm 1), with R = `epochs`: for s from floor(log_eta(R)) down to 0 a
/// bracket that begins with ceil((s_max + 1) eta^s / (s + 1)) trials of R / eta^s epochs.
std::vector<search_bracket> hyperband_brackets(std::size_t epochs, std::size_t eta);

}  // namespace hogwild
