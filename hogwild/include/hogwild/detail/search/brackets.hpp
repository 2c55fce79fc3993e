// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hogwild {

/// How a search deals out epochs to trials.
enum class strategy_kind {
  grid,      ///< every point of the grid, to its end
  random,    ///< drawn points, to their end
  halving,   ///< drawn points, of which the best 1/eta go on: successive halving
  hyperband  ///< several such, from many trials of few epochs to few trials of many
};

std::string_view name_of(strategy_kind kind);

/// So many trials of a bracket are trained up to so many epochs in all.
struct search_rung {
  std::size_t trials, epochs;
  bool operator==(const search_rung&) const = default;
};

/// Trials that are compared with each other: all are trained for the first rung, and the best go on to the next.
struct search_bracket {
  std::vector<search_rung> rungs;  ///< never empty; trials fall, epochs rise
  bool operator==(const search_bracket&) const = default;
};

/// One bracket of one rung, as of grid and random.
search_bracket whole_bracket(std::size_t trials, std::size_t epochs);

/// Successive halving (Jamieson and Talwalkar, AISTATS 2016, algorithm 1) with a rung for each power of eta: of
/// `trials` that begin, floor(trials / eta^i) are trained up to epochs / eta^(s - i), where s is the largest number for
/// which both eta^s <= epochs and eta^s <= trials. Epochs are rounded to the nearest number. All >= 1, eta >= 2.
search_bracket halving_bracket(std::size_t trials, std::size_t epochs, std::size_t eta);

/// Hyperband (Li et al., JMLR 18, 2018, algorithm 1), with R = `epochs`: for s from floor(log_eta(R)) down to 0 a
/// bracket that begins with ceil((s_max + 1) eta^s / (s + 1)) trials of R / eta^s epochs.
std::vector<search_bracket> hyperband_brackets(std::size_t epochs, std::size_t eta);

}  // namespace hogwild
