// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

// Exchange between two sides of a ring, as pure arithmetic on blocks of coordinates. A replica's own workers train it
// while it exchanges, so a rule never gives new values, only what to add: the caller loads a block, applies a rule, and
// adds. Adds by others in between are kept; they are in own - base, too, and so travel with the next exchange.

namespace hogwild {

/// The weights of the released rule, for a ring of so many replicas.
struct released_weights {
  double beta = 0;    ///< the successor gets this fraction of a change
  double lambda = 0;  ///< this fraction of the successor's value is mixed into one's own
};

/// beta in (0, 1) with beta^K + beta = 1, to the last bit, and lambda = 1 - beta^(K - 1), for K `replicas` (Zhang,
/// Hsieh and Akella: HogWild++, ICDM 2016). In a ring of one, or none, there is no exchange: both are 0 and
/// mix_released() adds nothing, so that one replica is exactly Hogwild!. (For K = 1 the equation's solution would make
/// a replica shrink its own changes.)
inline released_weights released_weights_of(std::size_t replicas) {
  if (replicas < 2) return {};
  const double power = static_cast<double>(replicas);
  // beta^K + beta rises with beta: below 1 at 1/2, above 1 at 1.
  double low = 0.5, high = 1.0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (std::pow(middle, power) + middle < 1.0 ? low : high) = middle;
  }
  return {.beta = high, .lambda = 1.0 - std::pow(high, power - 1.0)};
}

/// A block as it was read: n coordinates of one's own replica, of the other side (the common model or the successor),
/// and of the rule's memory. mix_average() has no memory, and its `base` is empty.
template <std::floating_point T>
struct ring_block {
  std::span<const T> own = {}, other = {}, base = {};
};

/// The increments that a rule writes for each of the three, n coordinates each. They overlap neither each other nor the
/// input.
template <std::floating_point T>
struct ring_increments {
  std::span<T> own = {}, other = {}, base = {};
};

namespace detail {

/// `value` if `condition` holds, else 0. Without a branch, because compilers do not vectorise one.
template <class T>
T where(bool condition, T value) {
  using bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  return std::bit_cast<T>(std::bit_cast<bits>(value) & (bits{0} - static_cast<bits>(condition)));
}

}  // namespace detail

/// The mean of two replicas, own' = other' = (own + other) / 2:
///
///   own += (other - own) / 2;  other -= (other - own) / 2
///
/// The two increments are each other's negatives to the bit, so the sum over the ring does not change, whatever is
/// added meanwhile, however many exchange at the same time, and however old the values are that were read.
template <std::floating_point T>
void mix_average(const ring_block<T>& read, const ring_increments<T>& add) {
  const std::size_t n = read.own.size();
  assert(read.other.size() == n && add.own.size() == n && add.other.size() == n);
  const auto mix = [n](const T* own, const T* other, T* __restrict to_own, T* __restrict to_other) {
    for (std::size_t i = 0; i < n; ++i) {
      const T half = T(0.5) * (other[i] - own[i]);
      to_own[i] = half;
      to_other[i] = -half;
    }
  };
  mix(read.own.data(), read.other.data(), add.own.data(), add.other.data());
}

/// A replica adds `gain_weight` (in (0, 1]) times its gain to the common model, and takes the common model over. `base`
/// is the common model after this replica's last exchange; both begin equal.
///
///   gain = gain_weight * (own - base);  common' = common + gain
///   common += gain;  own += common' - own;  base += common' - base
///
/// With gain_weight 1, common plus every replica's own - base is the sum of all that workers ever added: an exchange
/// does not change it, even if the three values were read at different times. So if two exchange for the same replica
/// at once, because one was taken for lost, they send a gain twice and take one back the next time. This requires adds
/// to all three; a worker that is surely alone may store base + its increment.
///
/// If nobody else changed the common model (common == base) and gain_weight is 1, common' is `own` itself: own's
/// increment is 0. Then base equals, to the bit, the common model after the add; what that add rounds off stays in own
/// - base and is sent next time. A replica without others thus keeps every bit, as if it were alone.
template <std::floating_point T>
void mix_deltas(const ring_block<T>& read, std::type_identity_t<T> gain_weight, const ring_increments<T>& add) {
  const std::size_t n = read.own.size();
  assert(read.other.size() == n && read.base.size() == n);
  assert(add.own.size() == n && add.other.size() == n && add.base.size() == n);
  const bool part = gain_weight != T(1);
  const auto mix = [=](const T* own, const T* common, const T* base, T* __restrict to_own, T* __restrict to_common,
                       T* __restrict to_base) {
    for (std::size_t i = 0; i < n; ++i) {
      const T gain = gain_weight * (own[i] - base[i]);
      const T after = common[i] + gain;
      to_common[i] = gain;
      to_own[i] = detail::where((common[i] != base[i]) | part, after - own[i]);
      to_base[i] = after - base[i];
    }
  };
  mix(read.own.data(), read.other.data(), read.base.data(), add.own.data(), add.other.data(), add.base.data());
}

/// The rule of the released Hogwild++ program, which scales changes by the current `step`. `base` is the snapshot,
/// one's own values after the last exchange; `other` is the successor.
///
///   delta = step * (own - base)
///   |delta| >  tolerance:  own' = lambda * other + (1 - lambda) * own + (beta + lambda - 1) * delta;  base' = own'
///                          other' = other + beta * delta
///   |delta| <= tolerance:  own' = lambda * other + (1 - lambda) * own + lambda * delta;       base' = own' - delta
///                          other' = other
///
/// written as own += own' - own and so on. The program itself stores values, and so loses what a replica's workers add
/// meanwhile. Otherwise this is the same, with the program's faults: the part that is passed on vanishes as the step
/// shrinks, and only `step` times a change that was not sent is remembered.
template <std::floating_point T>
void mix_released(const ring_block<T>& read, const released_weights& weights, std::type_identity_t<T> step,
                  std::type_identity_t<T> tolerance, const ring_increments<T>& add) {
  const std::size_t n = read.own.size();
  assert(read.other.size() == n && read.base.size() == n);
  assert(add.own.size() == n && add.other.size() == n && add.base.size() == n);
  const bool alone = weights.beta == 0;
  const T beta = static_cast<T>(weights.beta), lambda = static_cast<T>(weights.lambda);
  const T echo = alone ? T(0) : static_cast<T>(weights.beta + weights.lambda - 1);
  const auto mix = [=](const T* own, const T* other, const T* base, T* __restrict to_own, T* __restrict to_other,
                       T* __restrict to_base) {
    for (std::size_t i = 0; i < n; ++i) {
      const T delta = step * (own[i] - base[i]);
      const bool above = std::abs(delta) > tolerance;
      const T sent = detail::where(above, delta), held = detail::where(!above, delta);
      const T pull = lambda * (other[i] - own[i]) + (echo * sent + lambda * held);
      to_own[i] = pull;
      to_other[i] = beta * sent;
      to_base[i] = (own[i] + pull) - held - base[i];
    }
  };
  mix(read.own.data(), read.other.data(), read.base.data(), add.own.data(), add.other.data(), add.base.data());
}

}  // namespace hogwild
