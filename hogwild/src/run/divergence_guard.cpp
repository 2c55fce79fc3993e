// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/run/divergence_guard.hpp>

#include <algorithm>

namespace hogwild {

divergence_guard::divergence_guard(const param_store& store, round_driver& rounds, bool step_is_guess)
    : store_(store), rounds_(rounds), step_is_guess_(step_is_guess), scale_(rounds.scale()) {
  if (rounds.plan().options.exchange.workers < 2 && !step_is_guess) return;
  const auto state = store.state_of_training();
  before_.assign(state.begin(), state.end());
}

std::optional<std::string> divergence_guard::turn_back(double step) {
  if (rounds_.plan().options.exchange.workers < 2) return std::nullopt;
  const auto remedy = rounds_.damp_updates(step);
  if (remedy) restore();
  return remedy;
}

bool divergence_guard::turn_back_for_step() {
  if (step_is_guess_) restore();
  return step_is_guess_;
}

void divergence_guard::restore() {
  const live_writer::change changing(rounds_.live());
  std::ranges::copy(before_, store_.state_of_training().begin());
  rounds_.resume_at(scale_);
}

}  // namespace hogwild
