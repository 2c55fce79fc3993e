// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/control/worker_slot.hpp>

#include "support/model_checker.hpp"

// Actions of a coordinator on workers, as parties of a model checker (model_checker::add). The world has the workers'
// `slots`, and counts the workers that have finished in `at_work`.

namespace hogwild::test {

/// Leaves out a worker, any of them at any time, up to `most` times.
template <class World>
bool leave_out_somebody(model_checker& checker, World& world, std::size_t workers, std::uint64_t most,
                        std::uint64_t& so_far) {
  if (so_far++ == most) return false;
  world.slots[checker.choose(workers)].leave_out();
  return true;
}

/// Reaps the first dead worker, as worker_pool::reap() does. A worker that is delayed for ever is not dead.
template <class World>
bool reap_one(model_checker& checker, World& world, std::size_t workers) {
  const auto dead = [&] {
    for (std::size_t w = 0; w < workers; ++w)
      if (checker.is_dead(w) && world.slots[w].state.value != worker_state::free) return w + 1;
    return std::size_t{0};
  };
  checker.await([&] { return dead() > 0 || world.at_work == workers; });
  const std::uint64_t who = checker.ask(dead);
  if (who == 0) return false;
  world.slots[who - 1].generation.fetch_add(1);
  world.slots[who - 1].state.exchange(worker_state::free);
  return false;
}

/// Adds a coordinator that does both: leaves out `left_out` workers at most, and reaps the dead if any may die.
template <class World>
void add_coordinator(model_checker& checker, World& world, std::size_t workers, std::uint64_t left_out, int deaths) {
  checker.add(false, [&checker, &world, workers, left_out](model_checker::memory& kept) {
    return leave_out_somebody(checker, world, workers, left_out, kept[0]);
  });
  checker.add(false, [&checker, &world, workers, deaths](model_checker::memory&) {
    return deaths > 0 && reap_one(checker, world, workers);
  });
}

}  // namespace hogwild::test
