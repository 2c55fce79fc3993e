// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/divergence_guard.hpp>

#include <algorithm>

namespace hogwild {

divergence_guard::divergence_guard(const param_store& store, round_driver& rounds)
    : store_(store), rounds_(rounds), scale_(rounds.scale()) {
  if (rounds.plan().options.exchange.workers < 2) return;
  const auto state = store.state_of_training();
  before_.assign(state.begin(), state.end());
}

std::optional<std::string> divergence_guard::turn_back(double step) {
  if (before_.empty()) return std::nullopt;
  const auto remedy = rounds_.damp_updates(step);
  if (!remedy) return std::nullopt;
  const live_writer::change changing(rounds_.live());
  std::ranges::copy(before_, store_.state_of_training().begin());
  rounds_.resume_at(scale_);
  return remedy;
}

}  // namespace hogwild
