// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/words/window_formula.hpp>

namespace hogwild {

/// Word vectors that distinguish the neighbours of a word from words drawn at random. For a word c, its neighbours m
/// and the drawn words r
///
///   loss = sum over m of [ -log sigma(a_m . b_c) - sum over r of log sigma(-a_m . b_r) ],  sigma(x) = 1 / (1 + e^-x)
///
/// with the vectors a (input) and b (output) of each word; the loss of a sentence is the sum over its words. Examples
/// are the sentences of a corpus.
struct skip_gram : window_formula<skip_gram> {
  static constexpr std::string_view name = "skip_gram";
  using library_model = skip_gram;
  static constexpr training_defaults defaults{
      .step = 0.025, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};

  /// Each neighbour is scored separately.
  static window_rows inputs(window_space& s) { return s.contexts(); }
  static void differentiate(window_space& s, window_rows inputs) { s.differentiate(inputs, s.context_gradients()); }
};

}  // namespace hogwild
