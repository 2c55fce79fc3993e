// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/saved_state.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

constexpr std::string_view rows_of_state = "rows";

/// A number of a state.
struct state_number {
  std::string_view name;
  constants_of_optimizer of;  ///< the optimisers that have it; none: all
  bool positive;              ///< whether it is above 0; else it may be 0, too
  double (*get)(const state_numbers&);
  void (*set)(state_numbers&, double);
};

constexpr state_number all_numbers[] = {
    {"momentum", constants_of_optimizer::momentum, false, [](const state_numbers& n) { return n.constants.momentum; },
     [](state_numbers& n, double x) { n.constants.momentum = x; }},
    {"beta1", constants_of_optimizer::moments, false, [](const state_numbers& n) { return n.constants.beta1; },
     [](state_numbers& n, double x) { n.constants.beta1 = x; }},
    {"beta2", constants_of_optimizer::moments, false,
     [](const state_numbers& n) { return beta2_of(n.optimizer, n.constants); },
     [](state_numbers& n, double x) { n.constants.beta2 = x; }},
    {"ftrl_beta", constants_of_optimizer::ftrl, true, [](const state_numbers& n) { return ftrl_beta_of(n.constants); },
     [](state_numbers& n, double x) { n.constants.ftrl_beta = x; }},
    {"step", constants_of_optimizer::ftrl, true, [](const state_numbers& n) { return n.step; },
     [](state_numbers& n, double x) { n.step = x; }},
    {"bias_rate", constants_of_optimizer::none, true, [](const state_numbers& n) { return n.bias_rate; },
     [](state_numbers& n, double x) { n.bias_rate = x; }},
    {rows_of_state, constants_of_optimizer::none, false, [](const state_numbers& n) { return n.rows; },
     [](state_numbers& n, double x) { n.rows = x; }},
};

/// Calls f for each number that a state of this optimiser has.
template <class F>
void for_numbers_of(optimizer_kind kind, const F& f) {
  for (const state_number& number : all_numbers)
    if (number.of == constants_of_optimizer::none || has_constants(kind, number.of)) f(number);
}

}  // namespace

bool saved_state::goes_with(const saved_state& other) const {
  const auto alike = [](const auto& a, const auto& b) {
    return a == b || (a.first == b.first && a.first == rows_of_state);
  };
  return optimizer == other.optimizer && arrays.size() == other.arrays.size() &&
         std::ranges::equal(numbers, other.numbers, alike);
}

saved_state detail::named_state(const state_numbers& numbers) {
  saved_state state{.optimizer = std::string(optimizer_facts_of(numbers.optimizer).name)};
  for_numbers_of(numbers.optimizer, [&](const state_number& number) {
    state.numbers.emplace_back(std::string(number.name), number.get(numbers));
  });
  return state;
}

state_numbers detail::numbers_of(const saved_state& state) {
  const std::string called = "the saved state of the optimizer " + quote(state.optimizer);
  const auto known = std::ranges::find(optimizers, state.optimizer, &optimizer_facts::name);
  if (known == optimizers.end()) throw input_error(called + ": this program has no such optimizer");
  if (state.arrays.size() != known->state_arrays)
    throw input_error(called + " has " + std::to_string(state.arrays.size()) + " arrays; it should have " +
                      std::to_string(known->state_arrays));
  state_numbers numbers{.optimizer = known->kind};
  std::size_t count = 0;
  for_numbers_of(known->kind, [&](const state_number& number) {
    const auto found = std::ranges::find(state.numbers, number.name, [](const auto& named) { return named.first; });
    if (found == state.numbers.end()) throw input_error(called + " has no number " + quote(number.name));
    if (number.positive ? found->second <= 0.0 : found->second < 0.0)
      throw input_error(called + " has the " + std::string(number.name) + " " + to_text(found->second) +
                        "; it should be " + (number.positive ? "above 0" : "at least 0"));
    number.set(numbers, found->second);
    ++count;
  });
  if (count != state.numbers.size()) throw input_error(called + " has a number that this program does not know");
  return numbers;
}

std::string detail::why_unsuited(const state_numbers& of, optimizer_kind by, const optimizer_constants& given,
                                 std::optional<double> step) {
  if (of.optimizer != by)
    return "it is that of " + std::string(optimizer_facts_of(of.optimizer).name) + ", and this run's optimizer is " +
           std::string(optimizer_facts_of(by).name);
  state_numbers asked{by, given, of.bias_rate, step.value_or(of.step), of.rows};
  if (!given.ftrl_beta) asked.constants.ftrl_beta = of.constants.ftrl_beta;
  std::string why;
  for_numbers_of(by, [&](const state_number& number) {
    if (why.empty() && number.get(of) != number.get(asked))
      why = "its " + std::string(number.name) + " is " + to_short_text(number.get(of)) + ", and this run's is " +
            to_short_text(number.get(asked));
  });
  return why;
}

}  // namespace hogwild
