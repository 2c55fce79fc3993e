// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <hogwild/detail/run/same_on_ranks.hpp>
#include <hogwild/options.hpp>

// The one list of a run's options: the name of each, its place in train_options, and whether ranks share it. A member
// that is added to train_options does not compile here until it has its line.

namespace hogwild::detail {

/// How ranks that train together have to agree on an option.
enum class between_ranks {
  same,      ///< with the same value on all
  as_given,  ///< on all or on none; each rank has its own value, for example the name of a file
  own        ///< each rank as it likes
};

/// A member of train_options, or of a struct in it, by the path of members that leads there.
template <auto Member, auto... Members>
struct run_option {
  std::string_view name;
  between_ranks ranks = between_ranks::same;

  template <class Options>
  static constexpr auto& of(Options& o) {
    if constexpr (sizeof...(Members) == 0)
      return o.*Member;
    else
      return run_option<Members...>::of(o.*Member);
  }
};

inline constexpr std::tuple run_options{
    run_option<&train_options::epochs>{"epochs"},
    run_option<&train_options::max_seconds>{"max_seconds"},
    run_option<&train_options::step, &step_options::initial>{"step.initial"},
    run_option<&train_options::step, &step_options::decay>{"step.decay"},
    run_option<&train_options::step, &step_options::kind>{"step.kind"},
    run_option<&train_options::step, &step_options::warm_up>{"step.warm_up"},
    run_option<&train_options::l2>{"l2"},
    run_option<&train_options::l2_by_folds>{"l2_by_folds"},
    run_option<&train_options::l1>{"l1"},
    run_option<&train_options::form>{"form"},
    run_option<&train_options::update>{"update"},
    run_option<&train_options::optimizer>{"optimizer"},
    run_option<&train_options::constants, &optimizer_constants::momentum>{"constants.momentum"},
    run_option<&train_options::constants, &optimizer_constants::beta1>{"constants.beta1"},
    run_option<&train_options::constants, &optimizer_constants::beta2>{"constants.beta2"},
    run_option<&train_options::constants, &optimizer_constants::epsilon>{"constants.epsilon"},
    run_option<&train_options::constants, &optimizer_constants::ftrl_beta>{"constants.ftrl_beta"},
    run_option<&train_options::sharing>{"sharing"},
    run_option<&train_options::ownership>{"ownership"},
    run_option<&train_options::order>{"order"},
    run_option<&train_options::shards>{"shards"},
    run_option<&train_options::reproducible>{"reproducible"},
    run_option<&train_options::virtual_workers>{"virtual_workers"},
    run_option<&train_options::bias>{"bias"},
    run_option<&train_options::bias_rate>{"bias_rate"},
    run_option<&train_options::weight_positive>{"weight_positive"},
    run_option<&train_options::weights, &class_weights::balanced>{"weights.balanced"},
    run_option<&train_options::weights, &class_weights::of_labels>{"weights.of_labels"},
    run_option<&train_options::labels>{"labels"},
    run_option<&train_options::seed>{"seed"},
    run_option<&train_options::tolerance>{"tolerance"},
    run_option<&train_options::tolerance_epochs>{"tolerance_epochs"},
    run_option<&train_options::target>{"target"},
    run_option<&train_options::measure_every>{"measure_every"},
    run_option<&train_options::test>{"test"},
    run_option<&train_options::validation>{"validation"},
    run_option<&train_options::validation_fraction>{"validation_fraction"},
    run_option<&train_options::patience>{"patience"},
    run_option<&train_options::average>{"average"},
    run_option<&train_options::batch>{"batch"},
    run_option<&train_options::initial>{"initial", between_ranks::as_given},
    run_option<&train_options::freeze>{"freeze"},
    run_option<&train_options::isa>{"isa", between_ranks::own},
    run_option<&train_options::telemetry>{"telemetry", between_ranks::own},
    run_option<&train_options::record>{"record", between_ranks::own},
    run_option<&train_options::checkpoint>{"checkpoint", between_ranks::as_given},
    run_option<&train_options::checkpoint_every>{"checkpoint_every"},
    run_option<&train_options::checkpoint_seconds>{"checkpoint_seconds"},
    run_option<&train_options::resume>{"resume", between_ranks::as_given},
    run_option<&train_options::data_name>{"data_name", between_ranks::own},
    run_option<&train_options::observers>{"observers", between_ranks::own},
    run_option<&train_options::rounds>{"rounds"},
    run_option<&train_options::stop>{"stop", between_ranks::own},
};

/// How many members a struct of options has: if one is added without a line above, this does not compile.
constexpr std::size_t members_of(const step_options& o) {
  const auto& [initial, decay, kind, warm_up] = o;
  return std::tuple_size_v<decltype(std::tie(initial, decay, kind, warm_up))>;
}
constexpr std::size_t members_of(const optimizer_constants& o) {
  const auto& [momentum, beta1, beta2, epsilon, ftrl_beta] = o;
  return std::tuple_size_v<decltype(std::tie(momentum, beta1, beta2, epsilon, ftrl_beta))>;
}
constexpr std::size_t members_of(const class_weights& o) {
  const auto& [balanced, of_labels] = o;
  return std::tuple_size_v<decltype(std::tie(balanced, of_labels))>;
}
inline std::size_t members_of(const train_options& o) {
  const auto& [epochs, max_seconds, step, l2, l2_by_folds, l1, form, update, optimizer, constants, sharing, ownership,
               order, shards, reproducible, virtual_workers, bias, bias_rate, weight_positive, weights, labels, seed,
               tolerance, tolerance_epochs, target, measure_every, test, validation, validation_fraction, patience,
               average, batch, initial, freeze, isa, telemetry, record, checkpoint, checkpoint_every,
               checkpoint_seconds, resume, data_name, observers, rounds, stop] = o;
  using members =
      decltype(std::tie(epochs, max_seconds, step, l2, l2_by_folds, l1, form, update, optimizer, constants, sharing,
                        ownership, order, shards, reproducible, virtual_workers, bias, bias_rate, weight_positive,
                        weights, labels, seed, tolerance, tolerance_epochs, target, measure_every, test, validation,
                        validation_fraction, patience, average, batch, initial, freeze, isa, telemetry, record,
                        checkpoint, checkpoint_every, checkpoint_seconds, resume, data_name, observers, rounds, stop));
  constexpr std::size_t structs = 3;  // whose members are in the list: step, constants, weights
  return std::tuple_size_v<members> - structs + members_of(step) + members_of(constants) + members_of(weights);
}

/// Calls f(option) for each of the list.
template <class F>
constexpr void for_each_run_option(const F& f) {
  std::apply([&](const auto&... each) { (f(each), ...); }, run_options);
}

/// What ranks compare of their options, in the order of the list: names, and values as text.
std::vector<named_value> compared_options(const train_options& options);

}  // namespace hogwild::detail
