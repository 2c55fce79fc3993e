// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/worker/turn_source.hpp>

#include <algorithm>

#include <hogwild/detail/worker/shard_source.hpp>

namespace hogwild {

turn_source::turn_source(const worker_round& at, virtual_replicas& replicas)
    : control_(at.store.control()),
      me_(at.store.slots()[at.slot]),
      replicas_(replicas),
      round_(at.round),
      plan_(at.plan),
      range_(shard_source::part_of(shard{0, plan_.count()}, round_)),
      order_(plan_, shard{0, plan_.count()}, at.options.seed, round_.pass, at.options.order),
      virtual_workers_(std::min<std::size_t>(at.store.shape().replicas, range_.size())),
      place_(at.slot % round_.workers) {}

std::optional<ticket> turn_source::draw() {
  for (;;) {
    phase_ = control_.board.current();
    if ((phase_ & turn_board::broken) != 0 || !me_.counts()) return std::nullopt;
    if (turn() >= turns()) return std::nullopt;
    const std::size_t items = training() ? virtual_workers_ : slices();
    const auto i = control_.board.claim(phase_, items, place_ * items / round_.workers % items);
    if (!i) {
      control_.board.wait(phase_, me_.waits);
      continue;
    }
    holds_ = true;
    if (training()) {
      replicas_.become(*i, turn());
      if (const auto drawn = ticket_of(*i)) return drawn;
      // The last turn has too few chunks; earlier gains of this replica still count.
      if (control_.board.finish(items)) end_turn();
    } else {
      replicas_.merge(turn_plan(), {*i, items});
      if (control_.board.finish(items)) advance_by(1);
    }
    holds_ = false;
  }
}

void turn_source::finish(race_probe& probe) {
  probe.file_turn((virtual_workers_ - 1) * plan_.rows_per_chunk());
  if (control_.board.finish(virtual_workers_)) end_turn();
  holds_ = false;
}

std::size_t turn_source::slices() const {
  return round_.workers == 1 ? 1 : std::min(replicas_.worth_slices(turn_plan()), std::size_t{2} * round_.workers);
}

std::optional<ticket> turn_source::ticket_of(std::size_t v) const {
  const std::size_t number = range_.first + turn() * virtual_workers_ + v;
  if (number >= range_.last) return std::nullopt;
  const double before = static_cast<double>(number * plan_.rows_per_chunk());
  return ticket{number, order_(number), std::min(before, static_cast<double>(plan_.rows()))};
}

void turn_source::end_turn() {
  if (control_.stopping()) control_.board.end_after(turn() + 1);
  if (slices() > 1) return advance_by(1);
  // Waking the others for so little work would take longer.
  replicas_.merge(turn_plan(), {0, 1});
  advance_by(2);
}

}  // namespace hogwild
