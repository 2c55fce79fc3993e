// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// Which of the optimizer_constants an optimiser has.
enum class constants_of_optimizer { none, momentum, moments, ftrl };

/// What the engine asks of an optimiser.
struct optimizer_facts {
  optimizer_kind kind;
  std::string_view name;     ///< on the command line and in records
  std::size_t state_arrays;  ///< arrays of state, each as long as the parameters or store_shape::state_length
  bool sums_up;              ///< the state is a sum over all rows, not a running mean
  bool one_step;             ///< one step for all parameters; if false, each has its own, by the size of its partials
  constants_of_optimizer has = constants_of_optimizer::none;
  double beta2 = 0.999;  ///< the papers' value of that constant
};

/// One row each, in the order in which help shows them. Their rules for runs of parameters are listed in
/// block_optimizer.hpp.
inline constexpr auto optimizers = std::to_array<optimizer_facts>({
    {optimizer_kind::sgd, "sgd", 0, true, true},
    {optimizer_kind::momentum, "momentum", 1, false, true, constants_of_optimizer::momentum},
    {optimizer_kind::adagrad, "adagrad", 1, true, false},
    {optimizer_kind::row_adagrad, "row_adagrad", 1, true, false},
    {optimizer_kind::adam, "adam", 3, false, false, constants_of_optimizer::moments},
    {optimizer_kind::lion, "lion", 1, false, false, constants_of_optimizer::moments, 0.99},
    {optimizer_kind::ftrl, "ftrl", 2, true, false, constants_of_optimizer::ftrl},
});

constexpr const optimizer_facts& optimizer_facts_of(optimizer_kind kind) {
  return *std::ranges::find(optimizers, kind, &optimizer_facts::kind);
}

constexpr std::size_t state_arrays_of(optimizer_kind kind) {
  return optimizer_facts_of(kind).state_arrays;
}
constexpr bool sums_up(optimizer_kind kind) {
  return optimizer_facts_of(kind).sums_up;
}
constexpr bool has_constants(optimizer_kind kind, constants_of_optimizer constants) {
  return optimizer_facts_of(kind).has == constants;
}

/// The fraction of its gains that each of `members` keeps where replicas of an optimiser's state meet: sums add up
/// their gains, running means take the mean of the gains.
constexpr double kept_of_state(optimizer_kind kind, std::size_t members) {
  return sums_up(kind) ? 1.0 : 1.0 / static_cast<double>(members);
}

/// By how many times its step a partial moves its parameter in total: more than once under momentum.
constexpr double steps_of_partial(optimizer_kind kind, const optimizer_constants& c) {
  return has_constants(kind, constants_of_optimizer::momentum) ? 1.0 / (1.0 - c.momentum) : 1.0;
}

/// The given values, or those of the papers.
constexpr double beta2_of(optimizer_kind kind, const optimizer_constants& c) {
  return c.beta2.value_or(optimizer_facts_of(kind).beta2);
}
constexpr double epsilon_of(const optimizer_constants& c) {
  return c.epsilon.value_or(1e-8);
}
constexpr double ftrl_beta_of(const optimizer_constants& c) {
  return c.ftrl_beta.value_or(1.0);
}

/// Adam's means m of partials and v of their squares satisfy v >= this * m^2 (by Cauchy's inequality, from their
/// weights). Replicas that exchange means at different times may leave v below that, or below zero, and a division by
/// its root could give anything; so this bound is used instead.
constexpr double least_square_of(const optimizer_constants& c) {
  const double b2 = beta2_of(optimizer_kind::adam, c), left = b2 - c.beta1 * c.beta1;
  return left <= 0.0 ? 0.0 : (1.0 - b2) * left / (b2 * (1.0 - c.beta1) * (1.0 - c.beta1));
}

/// How one partial derivative changes its parameter. Safe to apply from many workers at once: an optimiser's state is
/// in shared arrays of the same length as the parameters, allocated with them. step(j, g, size) returns the value of
/// the parameter that its add started from.
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
  T step(std::size_t j, std::size_t, T g, T size) const { return step(j, g, size); }
  /// The same for a dense run.
  void block(std::size_t offset, std::size_t, std::span<const T> g, T size) const {
    w_.add_scaled_block(offset, g, -size);
  }

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
