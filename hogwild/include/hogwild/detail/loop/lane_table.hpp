// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <hogwild/detail/kernels/lane_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/math/regularizer.hpp>

namespace hogwild {

/// How one of several models that are trained side by side uses the rows.
struct lane_rows {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::uint32_t held_out = none;  ///< the fold whose rows it is not trained on
  std::uint32_t positive = none;  ///< the class that is trained as +1, all others as -1; none: labels as they are
  std::uint64_t bootstrap = 0;    ///< seed of a bootstrap; 0: each row counts once
};

/// The values of one of the models in a round.
struct lane_round {
  bool trains = false;
  double step = 0.0;
  double kept = 1.0;  ///< the fraction of all rows that it is trained on
  scaled_l2 l2{};     ///< a, and how it shrinks with the rows that the model is trained on
  /// The l1 and l2 that rows apply to the columns that they touch, if a stays 1 (margin_proximal.hpp, touched_l2).
  float l1 = 0.0f;
  double touched_l2 = 0.0;
  lane_rows rows{};
};
static_assert(std::is_trivially_copyable_v<lane_round>);

/// Models that are trained side by side on the same rows ("lanes"): parameter j of model k lies at j * lanes + k, also
/// if a column has a parameter for each class. The coordinator writes the table while nobody trains; workers read it.
class lane_table {
  std::array<lane_round, most_lanes> own_{};  ///< used until there is a store

 public:
  /// `n`: 8, 16 or 32. `row`: the place in the dataset of the first row that is trained on.
  lane_table(std::size_t n, std::size_t row) : lanes(n), first_row(row), of(std::span(own_).first(n)) {}
  lane_table(const lane_table&) = delete;  // refers to itself
  lane_table& operator=(const lane_table&) = delete;

  /// From now on the rounds of the lanes are in a store's table, where workers of all processes see them.
  void lie_in(std::span<std::byte> table) { of = {reinterpret_cast<lane_round*>(table.data()), lanes}; }

  std::size_t lanes, first_row;
  std::span<lane_round> of;
  std::vector<std::uint8_t> fold{};  ///< of each row of the dataset; empty: there are none
  /// If rows make proximal steps: n / degree of column j at j; with folds, that of model k's rows at j * lanes + k.
  std::vector<float> part{};
  /// If there are folds and rows apply l2 or l1 to the columns that they touch: how many rows of each fold contain each
  /// column.
  std::vector<std::vector<std::uint32_t>> degree_of_fold{};

  /// On how many of `all` rows lane k is trained, and on how many of the `degree` rows that have column j.
  std::size_t rows_of(std::size_t k, std::size_t all) const {
    return static_cast<std::size_t>(std::lround(static_cast<double>(all) * of[k].kept));
  }
  std::uint32_t degree_of(std::size_t k, std::size_t j, std::uint32_t degree) const {
    const std::uint32_t held = of[k].rows.held_out;
    return held < degree_of_fold.size() ? degree - degree_of_fold[held][j] : degree;
  }
};

/// How often row `row` counts in the bootstrap of this seed: a number from the Poisson distribution of mean 1 that
/// depends on both alone (Oza, Online bagging and boosting, 2005).
inline float bootstrap_count(std::uint64_t seed, std::size_t row) {
  // P(count > n), n = 0, 1, ..., in units of 2^-32.
  constexpr std::array<std::uint32_t, 11> more{2714937127u, 1134906959u, 344891874u, 81553513u, 15718922u, 2552004u,
                                               357518u,     44020u,      4833u,      479u,      43u};
  const auto drawn = static_cast<std::uint32_t>(counter_random(seed, 0x706f6973u).bits(row));
  float count = 0.0f;
  for (const std::uint32_t least : more) count += drawn < least ? 1.0f : 0.0f;
  return count;
}

}  // namespace hogwild
