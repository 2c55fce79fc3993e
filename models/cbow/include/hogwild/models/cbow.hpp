// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/words/window_formula.hpp>

namespace hogwild {

/// The continuous bag of words: word vectors such that the mean of a word's neighbours distinguishes the word from
/// words drawn at random. For a word c, the mean h of its neighbours' vectors and the drawn words r
///
///   loss = -log sigma(h . b_c) - sum over r of log sigma(-h . b_r),  sigma(x) = 1 / (1 + e^-x)
///
/// All else is as in skip_gram. Each of the m neighbours gets 1/m of the gradient with respect to h; other programs
/// give each neighbour all of it, and use a smaller step to compensate.
struct cbow : window_formula<cbow> {
  static constexpr std::string_view name = "cbow";
  using library_model = cbow;
  static constexpr training_defaults defaults{
      .step = 0.15, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};

  /// All neighbours are scored as one row.
  static window_rows inputs(window_space& s) { return s.mean_of_contexts(); }
  static void differentiate(window_space& s, window_rows inputs) {
    s.differentiate(inputs, s.clear_mean_gradient());
    s.spread_mean_gradient();
  }
};

}  // namespace hogwild
