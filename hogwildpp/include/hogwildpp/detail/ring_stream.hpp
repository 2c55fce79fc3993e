// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/model.hpp>

namespace hogwild {

/// The state of one rank of a ring between processes for one array of n parameters. Pure arithmetic on spans, used by
/// one thread.
///
/// The travelling model u, the sum of all gains since a round began, is stored nowhere as a whole: a sender sends the
/// difference between u and what it sent last (delta_message.hpp). At its turn a rank takes in what the others added to
/// u since, and adds the gains of its own array w: u += gain_weight * gain; and w becomes the sum of all gains, by
/// increments. With gain_weight 1 gains are summed, as in one shared array; with 1 / ranks they are averaged.
///
/// Gains are differences of w as it is, including the shrinking by l2 for the rank's own rows: so loss and l2 keep
/// their balance for every gain weight.
template <parameter T>
class ring_stream {
 public:
  explicit ring_stream(std::size_t n) : came_(n), went_(n), seen_(n) {}

  /// Called between rounds, when all ranks have the same parameters `common`, from which they go on.
  void begin(std::span<const T> common) {
    std::ranges::fill(came_, T(0));
    std::ranges::fill(went_, T(0));
    std::ranges::copy(common, seen_.begin());
  }

  /// Parameter j of u has changed by d since the previous rank last sent it.
  void take_in(std::size_t j, T d) { came_[j] += d; }

  /// A turn for parameters [first, first + own.size()): `own` are the values in the rank's array, and `gain_weight` the
  /// fraction of their gains that is kept. Writes the values to send on. `send` is as long as `own`, and may be rounded
  /// before it is passed to sent(): what rounding removes stays a gain.
  void turn(std::size_t first, std::span<const T> own, std::span<const T> gain_weight, std::span<T> send) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::size_t j = first + i;
      send[i] = came_[j] - went_[j] + gain_weight[i] * (own[i] - seen_[j]);
    }
  }
  /// Called after turn() with the same arguments: `sent` is `send` as it was sent; writes the increments of the array.
  void sent(std::size_t first, std::span<const T> own, std::span<const T> gain_weight, std::span<const T> sent,
            std::span<T> add) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::size_t j = first + i;
      const T others = came_[j] - went_[j], gain = own[i] - seen_[j], kept = gain_weight[i] * gain;
      add[i] = others + (kept - gain);
      seen_[j] = own[i] + add[i] - (others + kept - sent[i]);
      went_[j] += sent[i];
    }
  }

  /// Called at the end of a round that ended with a turn of every rank: this rank's part of the sum over all ranks that
  /// is the merged array. The sum consists of the last rank's values after its turn and all ranks' gains since their
  /// turns.
  void bring(std::span<const T> own, std::span<const T> gain_weight, bool is_last, std::span<T> part) const {
    for (std::size_t j = 0; j < own.size(); ++j)
      part[j] = gain_weight[j] * (own[j] - seen_[j]) + (is_last ? seen_[j] : T(0));
  }

 private:
  std::vector<T> came_, went_;  ///< u, as the previous rank last sent it, and as this rank did
  std::vector<T> seen_;         ///< the array after this rank's last turn, without what was not sent
};

/// The fraction of its gains that each parameter keeps, so that ranks which all see the same start do not overshoot
/// together.
///
/// Along a direction of curvature c (of the mean loss), training some rows takes a rank 1 - exp(-z) of the way to the
/// minimum, with z = step * c * rows. This is approximated by z / (1 + z), which is below it; the ranks together go the
/// sum. If c is the mean over the ranks that have rows for the parameter, the sum is at most their number times z / (1
/// + z), by Jensen's inequality. The kept fraction brings the sum down to `furthest` of the way, and is 1 if the sum is
/// less. So parameters that are popular on all ranks take little more than the mean of the gains; parameters that are
/// rare, or that one rank alone moves, take the sum.
struct kept_gains {
  static constexpr double furthest = 1.5;  ///< at 2 the ranks would oscillate for ever; at 1 not at all

  double reach = 0.0;      ///< step * rows
  double of_others = 0.0;  ///< how far a rank without rows for a parameter goes
  std::size_t ranks = 1;

  /// `rows`: trained by this one of p ranks since its gains were last taken; `elsewhere`: the curvature, due to l2, on
  /// ranks that have no row for a parameter.
  static kept_gains of(double step, double rows, std::size_t p, double elsewhere = 0.0) {
    const double reach = std::max(step * rows, 0.0), z = reach * elsewhere;
    return {reach, z / (1.0 + z), p};
  }
  /// The kept fraction, in (0, 1], for a parameter with this curvature, for which `holders` ranks have rows.
  template <std::floating_point T>
  T operator()(T curvature, T holders) const {
    const T z = static_cast<T>(reach) * curvature;
    const T way = holders * (z / (T(1) + z)) + (static_cast<T>(ranks) - holders) * static_cast<T>(of_others);
    return static_cast<T>(furthest) / std::max(static_cast<T>(furthest), way);
  }
};

}  // namespace hogwild
