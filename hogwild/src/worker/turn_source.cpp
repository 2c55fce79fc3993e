// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/worker/turn_source.hpp>

#include <algorithm>

namespace hogwild {

turn_source::turn_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
                         const loop_options& options)
    : control_(store.control()),
      me_(store.slots()[slot]),
      round_(round),
      plan_(plan),
      range_(ticket_source::part_of(shard{0, plan.count()}, round)),
      order_(plan, shard{0, plan.count()}, options.seed, round.pass, options.order),
      virtual_workers_(std::min<std::size_t>(store.shape().replicas, range_.size())),
      place_(slot % round.workers) {}

std::optional<ticket> turn_source::draw(virtual_replicas& replicas) {
  for (;;) {
    phase_ = control_.board.current();
    if ((phase_ & turn_board::broken) != 0 || !me_.counts()) return std::nullopt;
    if (turn() >= turns()) return std::nullopt;
    const std::size_t items = training() ? virtual_workers_ : slices(replicas);
    const auto i = control_.board.claim(phase_, items, place_ * items / round_.workers % items);
    if (!i) {
      control_.board.wait(phase_, me_.waits);
      continue;
    }
    holds_ = true;
    if (training()) {
      replicas.become(*i, turn());
      if (const auto drawn = ticket_of(*i)) return drawn;
      // The last turn has too few chunks; earlier gains of this replica still count.
      if (control_.board.finish(items)) end_turn(replicas);
    } else {
      replicas.merge(turn_plan(), {*i, items});
      if (control_.board.finish(items)) advance_by(1);
    }
    holds_ = false;
  }
}

void turn_source::finish(const ticket&, virtual_replicas& replicas, race_probe& probe) {
  probe.file_turn((virtual_workers_ - 1) * plan_.rows_per_chunk());
  if (control_.board.finish(virtual_workers_)) end_turn(replicas);
  holds_ = false;
}

std::size_t turn_source::slices(const virtual_replicas& replicas) const {
  return round_.workers == 1 ? 1 : std::min(replicas.worth_slices(turn_plan()), std::size_t{2} * round_.workers);
}

std::optional<ticket> turn_source::ticket_of(std::size_t v) const {
  const std::size_t number = range_.first + turn() * virtual_workers_ + v;
  if (number >= range_.last) return std::nullopt;
  const double before = static_cast<double>(number * plan_.rows_per_chunk());
  return ticket{number, order_(number), std::min(before, static_cast<double>(plan_.rows()))};
}

void turn_source::end_turn(const virtual_replicas& replicas) {
  if (control_.stopping()) control_.board.end_after(turn() + 1);
  if (slices(replicas) > 1) return advance_by(1);
  // Waking the others for so little work would take longer.
  replicas.merge(turn_plan(), {0, 1});
  advance_by(2);
}

}  // namespace hogwild
