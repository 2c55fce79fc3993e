// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/model.hpp>

namespace hogwild {

/// What one rank of a ring between processes remembers of one array of n parameters. Pure arithmetic on spans, used by
/// one thread.
///
/// The travelling model u, the sum of what all gained since a round began, is nowhere as a whole: whoever sends says by
/// how much u differs from what it sent last (delta_message.hpp). At its turn a rank takes in what the others added to
/// u since, and adds what its own array w has gained: u += gain_weight * gain, and w becomes what all have gained, by
/// increments. Where the gain_weight is 1 gains are summed, as in one shared array; with 1 / ranks their mean is kept.
///
/// Gains are differences of w as it is, l2's shrinking by the rank's own rows among them: so whatever share is kept,
/// loss and l2 keep their balance.
template <parameter T>
class ring_stream {
 public:
  explicit ring_stream(std::size_t n) : came_(n), went_(n), seen_(n) {}

  /// Between rounds, when all ranks have the same parameters `common`, from where they go on.
  void begin(std::span<const T> common) {
    std::ranges::fill(came_, T(0));
    std::ranges::fill(went_, T(0));
    std::ranges::copy(common, seen_.begin());
  }

  /// Parameter j of u differs by d from what the rank before sent last.
  void take_in(std::size_t j, T d) { came_[j] += d; }

  /// A turn, for parameters [first, first + own.size()) of which `own` is what the rank's array holds, and
  /// `gain_weight` what of their gains is kept: writes what to send on. `send` is as long as `own`, and may be rounded
  /// before it is given to sent(): what rounding takes stays a gain.
  void turn(std::size_t first, std::span<const T> own, std::span<const T> gain_weight, std::span<T> send) const {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::size_t j = first + i;
      send[i] = came_[j] - went_[j] + gain_weight[i] * (own[i] - seen_[j]);
    }
  }
  /// After turn() with the same arguments: `sent` is what was sent of `send`; writes what to add to the array.
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

  /// At the end of a round that ended with a turn of every rank: what this rank brings into the sum over all ranks that
  /// is the merged array. What the last rank had after its turn, and everybody's gains since theirs.
  void bring(std::span<const T> own, std::span<const T> gain_weight, bool is_last, std::span<T> part) const {
    for (std::size_t j = 0; j < own.size(); ++j)
      part[j] = gain_weight[j] * (own[j] - seen_[j]) + (is_last ? seen_[j] : T(0));
  }

 private:
  std::vector<T> came_, went_;  ///< u, as the rank before sent it last, and as this one did
  std::vector<T> seen_;         ///< the array after this rank's last turn, but for what was not sent
};

/// What of its gains each parameter keeps, so that ranks together do not overshoot where they all see the same start.
///
/// Along a direction of curvature c (of the mean loss), rows rows at a step take a rank 1 - exp(-z) of the way to the
/// minimum, z = step * c * rows, which is above z / (1 + z) and taken for it; ranks go the sum of that. Where c is the
/// mean of the ranks that have rows for the parameter, it is so many times z / (1 + z) at most, by Jensen's inequality.
/// Kept is what brings that to `furthest` of the way, and everything where it is less: what is hot on all ranks takes
/// little more than the mean of the gains; what is rare, or moved by one rank alone, their sum.
struct kept_gains {
  static constexpr double furthest = 1.5;  ///< at 2 the ranks would swing for ever; at 1 they do not at all

  double reach = 0.0;      ///< step * rows
  double of_others = 0.0;  ///< how far a rank goes that has no row for a parameter
  std::size_t ranks = 1;

  /// `rows`: which this one of p ranks has trained since its gains were taken last; `elsewhere`: the curvature, that of
  /// l2, on ranks that have no row for a parameter.
  static kept_gains of(double step, double rows, std::size_t p, double elsewhere = 0.0) {
    const double reach = std::max(step * rows, 0.0), z = reach * elsewhere;
    return {reach, z / (1.0 + z), p};
  }
  /// In (0, 1]; of a parameter with this curvature on so many ranks that have rows for it.
  template <std::floating_point T>
  T operator()(T curvature, T holders) const {
    const T z = static_cast<T>(reach) * curvature;
    const T way = holders * (z / (T(1) + z)) + (static_cast<T>(ranks) - holders) * static_cast<T>(of_others);
    return static_cast<T>(furthest) / std::max(static_cast<T>(furthest), way);
  }
};

}  // namespace hogwild
