// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

namespace hogwild {

/// Any optimiser, on dense runs of parameters; it is dispatched once a run. `View` is a param_view, a split_view or a
/// gathering_view. The state is in state_arrays_of(kind) arrays as long as the parameters. Like these, it is read once
/// and changed by adds, so that any number of workers may do so at the same time, and replicas may exchange it.
///
///   adagrad      s += g^2;                w -= size * g / sqrt(s + 1e-8)
///   row_adagrad  s_0 += mean of g^2;      w -= size * g / sqrt(s_0 + 1e-8), one sum for the run
///   momentum     v = mu v + g;            w -= size * v
///   adam         m = b1 m + (1 - b1) g;   v = b2 v + (1 - b2) g^2;   t += 1
///                w -= size * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
///
/// Zeros that pad a run are included in its mean of squares, because the optimiser cannot recognise padding. So
/// row_adagrad's steps are as long as with a `size` multiplied by the square root of the run's length over its length
/// without padding.
///
/// (Duchi, Hazan, Singer 2011; momentum as in PyTorch; Kingma and Ba 2015.) Adam counts the steps t of a run at the
/// run's first parameter: a model should always emit the same runs. Adds that are lost, applied twice or rounded may
/// leave a sum below zero, a count below one, or a second moment below the bound that the first one implies
/// (least_square_of()). The optimiser then uses these bounds instead. The bound of the second moment also matters if
/// another worker is adding a gradient that the first moment already has and the second does not: the step would be
/// arbitrarily long.
template <class View>
class block_optimizer {
 public:
  using T = typename View::value_type;

  block_optimizer(optimizer_kind kind, const optimizer_constants& constants, View w, const std::array<View, 3>& state)
      : kind_(kind), constants_(constants), w_(w), state_(state) {}

  /// Updates one parameter; returns the value that it had.
  T step(std::size_t j, T g, T size) const {
    const T before = w_.load(j);
    if (kind_ == optimizer_kind::adagrad)
      adagrad_one(j, g, size);
    else
      block(j, std::span(&g, 1), size);
    return before;
  }

  void block(std::size_t offset, std::span<const T> g, T size) const;

  /// Has the effect of `steps` calls of block() with partials of 0 on the n parameters from `offset` on. For momentum
  /// it is exact if `size` is the same in all of them. With c = b1 / sqrt(b2) and the corrections in the middle of
  /// those steps, adam's steps are
  ///
  ///   w -= size * (c + c^2 + ... + c^steps) * m' / (sqrt(v') + epsilon);   m *= b1^steps;   v *= b2^steps;
  ///   t += steps
  ///
  /// which is exact except for epsilon and the changes of the corrections meanwhile. Other optimisers do nothing. State
  /// that has decayed below 1e-30 is set to 0.
  void settle(std::size_t offset, std::size_t n, std::size_t steps, T size) const;
  /// Whether settle() does anything.
  static constexpr bool fades(optimizer_kind kind) {
    return kind == optimizer_kind::momentum || kind == optimizer_kind::adam;
  }

 private:
  static constexpr std::size_t piece = 256;
  static constexpr T tiny = T(1e-8);
  using room = std::array<T, piece>;
  /// The divisors of adam's moments, which begin at zero.
  struct corrections {
    T first, second;
  };

  template <class Body>
  static void in_pieces(std::size_t offset, std::span<const T> g, const Body& body) {
    for (std::size_t i = 0; i < g.size(); i += piece) body(offset + i, g.subspan(i, std::min(piece, g.size() - i)));
  }

  /// For weights and biases, which are updated one at a time: setting up a loop would cost more than the step.
  void adagrad_one(std::size_t j, T g, T size) const {
    const T gain = g * g;
    const T root = std::sqrt(std::max(state_[0].read_add(j, gain) + gain, T(0)) + tiny);
    w_.add(j, -size * g / root);
  }

  void adagrad_piece(std::size_t offset, std::span<const T> g, T size) const;

  void momentum_piece(std::size_t offset, std::span<const T> g, T size) const;

  void adam_piece(std::size_t offset, std::span<const T> g, T size, const corrections& by) const;

  corrections count_step(std::size_t offset) const;

  void settle_momentum(std::size_t offset, std::size_t n, std::size_t steps, T size) const;
  void settle_adam(std::size_t offset, std::size_t n, std::size_t steps, T size) const;
  /// The difference between x * by and x.
  static T faded(T x, T by) {
    const T left = x * by;
    return (std::abs(left) < T(1e-30) ? T(0) : left) - x;
  }

  T raise_row_sum(std::size_t offset, std::span<const T> g) const;

  optimizer_kind kind_;
  optimizer_constants constants_;
  View w_;
  std::array<View, 3> state_;
};

template <class View>
void block_optimizer<View>::block(std::size_t offset, std::span<const T> g, T size) const {
  switch (kind_) {
    case optimizer_kind::adagrad:
      if (g.size() == 1) return adagrad_one(offset, g.front(), size);
      return in_pieces(offset, g, [&](std::size_t at, std::span<const T> part) { adagrad_piece(at, part, size); });
    case optimizer_kind::momentum:
      return in_pieces(offset, g, [&](std::size_t at, std::span<const T> part) { momentum_piece(at, part, size); });
    case optimizer_kind::adam: {
      const corrections by = count_step(offset);
      return in_pieces(offset, g, [&](std::size_t at, std::span<const T> part) { adam_piece(at, part, size, by); });
    }
    case optimizer_kind::row_adagrad:
      return w_.add_scaled_block(offset, g, -size / std::sqrt(std::max(raise_row_sum(offset, g), T(0)) + tiny));
    case optimizer_kind::ftrl:  // only for margin models (margin_proximal.hpp)
    case optimizer_kind::sgd:
      break;
  }
  w_.add_scaled_block(offset, g, -size);
}

template <class View>
void block_optimizer<View>::adagrad_piece(std::size_t offset, std::span<const T> g, T size) const {
  room root, gain, delta;
  const std::size_t n = g.size();
  state_[0].load_block(offset, std::span(root).first(n));
  for (std::size_t i = 0; i < n; ++i) {
    gain[i] = g[i] * g[i];
    // max(sum, 0) + tiny. In another order, or with std::max, compilers would generate a branch and not vectorise.
    const T lifted = root[i] + gain[i] + tiny;
    root[i] = lifted < tiny ? tiny : lifted;
  }
  square_roots(std::span(root).first(n));
  for (std::size_t i = 0; i < n; ++i) delta[i] = -size * g[i] / root[i];
  state_[0].add_block(offset, std::span(gain).first(n));
  w_.add_block(offset, std::span(delta).first(n));
}

template <class View>
void block_optimizer<View>::momentum_piece(std::size_t offset, std::span<const T> g, T size) const {
  room v, gain;
  const std::size_t n = g.size();
  const T mu = static_cast<T>(constants_.momentum);
  state_[0].load_block(offset, std::span(v).first(n));
  for (std::size_t i = 0; i < n; ++i) {
    gain[i] = mu * v[i] + g[i] - v[i];
    v[i] += gain[i];
  }
  state_[0].add_block(offset, std::span(gain).first(n));
  w_.add_scaled_block(offset, std::span(v).first(n), -size);
}

template <class View>
void block_optimizer<View>::adam_piece(std::size_t offset, std::span<const T> g, T size, const corrections& by) const {
  room m, v, m_gain, v_gain, root, delta;
  const std::size_t n = g.size();
  const T keep1 = static_cast<T>(1 - constants_.beta1), keep2 = static_cast<T>(1 - constants_.beta2);
  const T epsilon = static_cast<T>(epsilon_of(constants_)), least_square = static_cast<T>(least_square_of(constants_));
  state_[0].load_block(offset, std::span(m).first(n));
  state_[1].load_block(offset, std::span(v).first(n));
  for (std::size_t i = 0; i < n; ++i) {
    m_gain[i] = keep1 * (g[i] - m[i]);
    m[i] += m_gain[i];
    const T least = least_square * m[i] * m[i];
    const T raised = v[i] + keep2 * (g[i] * g[i] - v[i]), square = raised < least ? least : raised;
    v_gain[i] = square - v[i];
    root[i] = square / by.second;
  }
  square_roots(std::span(root).first(n));
  for (std::size_t i = 0; i < n; ++i) delta[i] = -size * (m[i] / by.first) / (root[i] + epsilon);
  state_[0].add_block(offset, std::span(m_gain).first(n));
  state_[1].add_block(offset, std::span(v_gain).first(n));
  w_.add_block(offset, std::span(delta).first(n));
}

template <class View>
auto block_optimizer<View>::count_step(std::size_t offset) const -> corrections {
  const double t = std::max(static_cast<double>(state_[2].read_add(offset, T(1))) + 1.0, 1.0);
  return {static_cast<T>(1 - std::pow(constants_.beta1, t)), static_cast<T>(1 - std::pow(constants_.beta2, t))};
}

template <class View>
void block_optimizer<View>::settle(std::size_t offset, std::size_t n, std::size_t steps, T size) const {
  if (steps == 0) return;
  if (kind_ == optimizer_kind::momentum) return settle_momentum(offset, n, steps, size);
  if (kind_ == optimizer_kind::adam) return settle_adam(offset, n, steps, size);
}

template <class View>
void block_optimizer<View>::settle_momentum(std::size_t offset, std::size_t n, std::size_t steps, T size) const {
  const T mu = static_cast<T>(constants_.momentum), left = std::pow(mu, static_cast<T>(steps));
  const T way = size * mu * (1 - left) / (1 - mu);
  room v, gain;
  for (std::size_t i = 0; i < n; i += piece) {
    const std::size_t at = offset + i, some = std::min(piece, n - i);
    const auto values = std::span(v).first(some);
    state_[0].load_block(at, values);
    if (std::ranges::all_of(values, [](T x) { return x == T(0); })) continue;
    for (std::size_t k = 0; k < some; ++k) gain[k] = faded(v[k], left);
    state_[0].add_block(at, std::span(gain).first(some));
    w_.add_scaled_block(at, values, -way);
  }
}

template <class View>
void block_optimizer<View>::settle_adam(std::size_t offset, std::size_t n, std::size_t steps, T size) const {
  const T k = static_cast<T>(steps), b1 = static_cast<T>(constants_.beta1), b2 = static_cast<T>(constants_.beta2);
  const T t = std::max(state_[2].read_add(offset, k), T(0)), c = b1 / std::sqrt(b2);
  // The middle of the steps k = 1, 2, ... with the weights c^k, but no step whose weight is negligible.
  const T sum = c < 1 ? c * (1 - std::pow(c, k)) / (1 - c) : k;
  const T middle = t + std::min((k + 1) / 2, c < 1 ? 1 / (1 - c) : k);
  const T first = 1 - std::pow(b1, middle), second = std::sqrt(1 - std::pow(b2, middle));
  const T way = size * sum * second / first, epsilon = static_cast<T>(epsilon_of(constants_)) * second;
  const T m_left = std::pow(b1, k), v_left = std::pow(b2, k);
  const T least_square = static_cast<T>(least_square_of(constants_));
  room m, v, delta;
  for (std::size_t i = 0; i < n; i += piece) {
    const std::size_t at = offset + i, some = std::min(piece, n - i);
    const auto values = std::span(m).first(some);
    state_[0].load_block(at, values);
    state_[1].load_block(at, std::span(v).first(some));
    if (std::ranges::all_of(std::span(v).first(some), [](T x) { return x == T(0); })) continue;
    for (std::size_t l = 0; l < some; ++l) {
      const T square = std::max(v[l], least_square * m[l] * m[l]);
      delta[l] = -way * m[l] / (std::sqrt(square) + epsilon);
      m[l] = faded(m[l], m_left), v[l] = square + faded(square, v_left) - v[l];
    }
    w_.add_block(at, std::span(delta).first(some));
    state_[0].add_block(at, values);
    state_[1].add_block(at, std::span(v).first(some));
  }
}

template <class View>
auto block_optimizer<View>::raise_row_sum(std::size_t offset, std::span<const T> g) const -> T {
  T sum = 0;
  for (const T x : g) sum += x * x;
  const T mean = sum / static_cast<T>(std::max<std::size_t>(g.size(), 1));
  return state_[0].read_add(offset, mean) + mean;
}

// The views of direct and private sharing. Others are instantiated where they are used.
extern template class block_optimizer<param_view<float>>;
extern template class block_optimizer<param_view<float, update::exact>>;
extern template class block_optimizer<param_view<float, update::locked>>;

}  // namespace hogwild
