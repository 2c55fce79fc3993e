// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/pair_model.hpp>

namespace hogwild {

/// Vectors of users and items by which a pair's item stands out among all items: the loss of a pair is
///
///   -log(e^s / (e^s + sum over other items j of e^s_j))
///
/// where the sum is estimated from items drawn at random, each counted by the inverse of how often it is drawn (Bengio
/// and Senecal, Adaptive importance sampling to accelerate training of a neural probabilistic language model, 2008).
/// Scores are cosines divided by a temperature, or products.
struct sampled_softmax : pair_formula<sampled_softmax> {
  static constexpr std::string_view name = "sampled_softmax";
  using library_model = sampled_softmax;
  static constexpr target_loss loss_kind = target_loss::softmax;  ///< of a pair
  static constexpr std::size_t epochs = 60;                       ///< the default
  static constexpr training_defaults defaults{.step = 0.2,
                                              .schedule = schedule_kind::constant,
                                              .optimizer = optimizer_kind::row_adagrad,
                                              .batch = 128,
                                              .form = l2_form::per_occurrence};

  /// The model without options, and without data.
  static sampled_softmax usual() {
    sampled_softmax m;
    m.negatives = 256;
    m.cosine = true;
    m.temperature = 0.08;
    m.bias = false;
    return m;
  }
};

}  // namespace hogwild
