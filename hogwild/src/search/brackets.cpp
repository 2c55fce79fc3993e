// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/brackets.hpp>

#include <algorithm>

namespace hogwild {

namespace {

/// The largest s with eta^s <= n, and that power.
struct power {
  std::size_t exponent = 0, value = 1;
};
power largest_power(std::size_t eta, std::size_t n) {
  power p;
  while (p.value <= n / eta) {
    p.value *= eta;
    ++p.exponent;
  }
  return p;
}

/// A bracket in which `trials` begin: those of rung i are trained up to epochs * eta^i / first, where `first` is the
/// power of eta that divides all epochs into the first rung's.
search_bracket bracket_of(std::size_t trials, std::size_t epochs, std::size_t eta, power first) {
  search_bracket bracket;
  for (std::size_t i = 0, grown = 1; i <= first.exponent; ++i, grown *= eta) {
    const std::size_t divisor = first.value / grown;
    const std::size_t of_rung = std::max<std::size_t>((epochs + divisor / 2) / divisor, 1);
    bracket.rungs.push_back({trials / grown, of_rung});
  }
  return bracket;
}

}  // namespace

std::string_view name_of(strategy_kind kind) {
  switch (kind) {
    case strategy_kind::grid:
      return "grid";
    case strategy_kind::random:
      return "random";
    case strategy_kind::halving:
      return "halving";
    case strategy_kind::hyperband:
      break;
  }
  return "hyperband";
}

search_bracket whole_bracket(std::size_t trials, std::size_t epochs) {
  return {{{trials, epochs}}};
}

search_bracket halving_bracket(std::size_t trials, std::size_t epochs, std::size_t eta) {
  return bracket_of(trials, epochs, eta, largest_power(eta, std::min(trials, epochs)));
}

std::vector<search_bracket> hyperband_brackets(std::size_t epochs, std::size_t eta) {
  std::vector<search_bracket> all;
  const power most = largest_power(eta, epochs);
  for (power s = most;; s = {s.exponent - 1, s.value / eta}) {
    const std::size_t trials = ((most.exponent + 1) * s.value + s.exponent) / (s.exponent + 1);  // rounded up
    all.push_back(bracket_of(trials, epochs, eta, s));
    if (s.exponent == 0) return all;
  }
}

}  // namespace hogwild
