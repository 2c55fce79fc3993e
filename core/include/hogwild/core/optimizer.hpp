// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <hogwild/core/param_view.hpp>

namespace hogwild {

enum class optimizer_kind : std::uint32_t { sgd, adagrad };

/// How one partial derivative changes its parameter. Safe to apply from many workers at once: what an optimiser
/// remembers lives in shared arrays of the same length as the parameters, allocated with them. step(j, g, size) returns
/// the value of the parameter that its add started from.
template <class O, class T>
concept optimizer = requires(const O& o, T g) {
  { O::kind } -> std::convertible_to<optimizer_kind>;
  { O::state_arrays } -> std::convertible_to<std::size_t>;
  { o.step(std::size_t{}, g, g) } -> std::same_as<T>;
};

/// w_j -= step * g. `View` is a param_view or a split_view.
template <class View>
class sgd {
 public:
  using T = typename View::value_type;
  static constexpr optimizer_kind kind = optimizer_kind::sgd;
  static constexpr std::size_t state_arrays = 0;

  explicit sgd(View w) : w_(w) {}
  T step(std::size_t j, T g, T size) const { return w_.read_add(j, -size * g); }

 private:
  View w_;
};

/// s_j += g^2; w_j -= step * g / sqrt(s_j + epsilon) (Duchi, Hazan, Singer 2011, diagonal form). The sum only grows, so
/// a lost add makes a step slightly too long and can never make it infinite or negative.
template <class View>
class adagrad {
 public:
  using T = typename View::value_type;
  static constexpr optimizer_kind kind = optimizer_kind::adagrad;
  static constexpr std::size_t state_arrays = 1;
  static constexpr T epsilon = T(1e-8);

  adagrad(View w, View squares) : w_(w), squares_(squares) {}
  T step(std::size_t j, T g, T size) const {
    const T square = g * g;
    const T sum = squares_.read_add(j, square) + square;
    return w_.read_add(j, -size * g / std::sqrt(sum + epsilon));
  }

 private:
  View w_, squares_;
};

}  // namespace hogwild
