// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/embeddings/pair_model.hpp>

namespace hogwild {

/// Vectors of users and items that push a pair's item above those that score too near to it, the more so the worse its
/// rank is: the loss is target_loss::warp. The rank is estimated by how many of the items drawn at random violate the
/// margin.
struct warp : pair_formula<warp> {
  static constexpr std::string_view name = "warp";
  using library_model = warp;
  static constexpr target_loss loss_kind = target_loss::warp;  ///< of a pair
  static constexpr std::size_t epochs = 15;                    ///< the default
  static constexpr training_defaults defaults{.step = 0.05,
                                              .schedule = schedule_kind::constant,
                                              .optimizer = optimizer_kind::row_adagrad,
                                              .batch = 128,
                                              .l2 = 0.0005,
                                              .form = l2_form::per_occurrence};

  /// The model without options, and without data. Vectors begin near zero: those that train seldom would keep what they
  /// began with, which is noise in their scores.
  static warp usual() {
    warp m;
    m.start = 0.1;
    return m;
  }
};

}  // namespace hogwild
