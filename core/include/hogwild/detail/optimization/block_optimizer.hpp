// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/adagrad_rule.hpp>
#include <hogwild/detail/optimization/adam_rule.hpp>
#include <hogwild/detail/optimization/block_rule.hpp>
#include <hogwild/detail/optimization/lion_rule.hpp>
#include <hogwild/detail/optimization/momentum_rule.hpp>

namespace hogwild {

/// The rules for dense runs of parameters. Optimisers without one: sgd, which has no state, and ftrl, which is for
/// margin models (margin_proximal.hpp).
using block_rules = std::tuple<adagrad_rule, row_adagrad_rule, momentum_rule, adam_rule, lion_rule>;

/// Any optimiser, on dense runs of parameters; its rule is chosen once a run. Any number of workers may call it.
template <class View>
class block_optimizer {
 public:
  using T = typename View::value_type;

  block_optimizer(optimizer_kind kind, const optimizer_constants& constants, View w, const std::array<View, 3>& state)
      : kind_(kind), arrays_{constants, w, state} {}

  /// Updates one parameter; returns the value that it had. `state` as for block().
  T step(std::size_t j, std::size_t state, T g, T size) const {
    const T before = arrays_.w.load(j);
    if (kind_ == optimizer_kind::adagrad)
      adagrad_rule::one(arrays_, j, g, size);
    else
      block(j, state, std::span(&g, 1), size);
    return before;
  }
  T step(std::size_t j, T g, T size) const { return step(j, j, g, size); }

  /// Changes the run of parameters from `offset` on by their partials g. A rule that has one number for the run finds
  /// it at `state`.
  void block(std::size_t offset, std::size_t state, std::span<const T> g, T size) const;
  void block(std::size_t offset, std::span<const T> g, T size) const { block(offset, offset, g, size); }

  /// Has the effect of `steps` calls of block() with partials of 0 on the n parameters from `offset` on, as far as the
  /// rule says. State that has decayed below 1e-30 is set to 0.
  void settle(std::size_t offset, std::size_t n, std::size_t steps, T size) const;
  /// Whether settle() does anything.
  static constexpr bool fades(optimizer_kind kind) {
    return with_rule(kind, []<class Rule>(Rule) { return settles<Rule>; });
  }

 private:
  template <class Rule>
  static constexpr bool settles = requires(const rule_arrays<View>& a, std::size_t n, T size) {
    Rule::settle(a, n, n, n, size);
  };

  /// Calls f with the rule; false if the optimiser has none, or f returns false.
  template <class F>
  static constexpr bool with_rule(optimizer_kind kind, const F& f) {
    return [&]<class... Rules>(std::type_identity<std::tuple<Rules...>>) {
      return ((Rules::kind == kind && f(Rules())) || ...);
    }(std::type_identity<block_rules>());
  }

  optimizer_kind kind_;
  rule_arrays<View> arrays_;
};

template <class View>
void block_optimizer<View>::block(std::size_t offset, std::size_t state, std::span<const T> g, T size) const {
  const bool done = with_rule(kind_, [&]<class Rule>(Rule) {
    if constexpr (requires { Rule::row(arrays_, offset, state, g, size); })
      Rule::row(arrays_, offset, state, g, size);
    else
      Rule::block(arrays_, offset, g, size);
    return true;
  });
  if (!done) arrays_.w.add_scaled_block(offset, g, -size);
}

template <class View>
void block_optimizer<View>::settle(std::size_t offset, std::size_t n, std::size_t steps, T size) const {
  if (steps == 0) return;
  with_rule(kind_, [&]<class Rule>(Rule) {
    if constexpr (settles<Rule>) Rule::settle(arrays_, offset, n, steps, size);
    return true;
  });
}

// The views of direct and private sharing. Others are instantiated where they are used.
extern template class block_optimizer<param_view<float>>;
extern template class block_optimizer<param_view<float, update::exact>>;
extern template class block_optimizer<param_view<float, update::locked>>;

}  // namespace hogwild
