// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/loop/ticket_source.hpp>
#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild {

/// What is merged at the end of a turn.
struct merge_plan {
  std::size_t turn;             ///< of the round
  std::size_t virtual_workers;  ///< that have a replica in this round
  bool last;                    ///< turn of the round: everything is merged
};

/// One of `count` parts of a merge.
struct merge_slice {
  std::size_t number;
  std::size_t count;
};

/// Draws tickets of a reproducible round: the i-th ticket of the round belongs to virtual worker i mod V, in turn
/// i / V. In a turn each virtual worker trains one chunk on a replica of its own; then all gains are added to the
/// shared arrays, in the order of the virtual workers. Which real worker does what changes no bit of it.
class turn_source {
 public:
  turn_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
              const loop_options& options)
      : control_(store.control()),
        me_(store.slots()[slot]),
        round_(round),
        plan_(plan),
        range_(ticket_source::part_of(shard{0, plan.count()}, round)),
        order_(plan, shard{0, plan.count()}, options.seed, round.pass),
        virtual_workers_(std::min<std::size_t>(store.shape().replicas, range_.size())),
        place_(slot % round.workers) {}
  /// Who leaves with a ticket in hand (its row source threw, say) must not keep the others waiting.
  ~turn_source() {
    if (holds_) control_.board.abandon(phase_);
  }
  turn_source(const turn_source&) = delete;
  turn_source& operator=(const turn_source&) = delete;

  /// The next ticket. Merges, or waits for the others, where there is none yet; nothing when the round is over.
  template <class Step>
  std::optional<ticket> draw(Step& step) {
    for (;;) {
      phase_ = control_.board.current();
      if ((phase_ & turn_board::broken) != 0 || !me_.counts()) return std::nullopt;
      if (turn() >= turns()) return std::nullopt;
      const std::size_t items = training() ? virtual_workers_ : slices(step);
      const auto i = control_.board.claim(phase_, items, place_ * items / round_.workers % items);
      if (!i) {
        control_.board.wait(phase_, me_.waits);
        continue;
      }
      holds_ = true;
      if (training()) {
        step.become(*i, turn());
        if (const auto drawn = ticket_of(*i)) return drawn;
        // The last turn has too few chunks; what this replica gained before still counts.
        if (control_.board.finish(items)) end_turn(step);
      } else {
        step.merge(turn_plan(), {*i, items});
        if (control_.board.finish(items)) advance_by(1);
      }
      holds_ = false;
    }
  }

  /// The ticket that was drawn last has been trained.
  template <class Step>
  void finish(const ticket&, Step& step, race_probe& probe) {
    probe.file_turn((virtual_workers_ - 1) * plan_.rows_per_chunk());
    if (control_.board.finish(virtual_workers_)) end_turn(step);
    holds_ = false;
  }

  /// Workers leave by what draw() says: all after the same turn.
  bool stopped() const { return false; }

  static std::size_t turns_of(const shard& range, std::size_t virtual_workers) {
    return (range.size() + virtual_workers - 1) / virtual_workers;
  }

 private:
  std::uint32_t phases_done() const { return (phase_ - round_.first_phase) & turn_board::phases; }
  std::size_t turn() const { return phases_done() / 2; }
  bool training() const { return phases_done() % 2 == 0; }
  std::size_t turns() const { return control_.board.turns_of_round(); }
  merge_plan turn_plan() const { return {turn(), virtual_workers_, turn() + 1 == turns()}; }

  template <class Step>
  std::size_t slices(const Step& step) const {
    return round_.workers == 1 ? 1 : std::min(step.worth_slices(turn_plan()), std::size_t{2} * round_.workers);
  }

  std::optional<ticket> ticket_of(std::size_t v) const {
    const std::size_t number = range_.first + turn() * virtual_workers_ + v;
    if (number >= range_.last) return std::nullopt;
    const double before = static_cast<double>(number * plan_.rows_per_chunk());
    return ticket{number, order_(number), std::min(before, static_cast<double>(plan_.rows()))};
  }

  /// By whoever finished a turn's last chunk: all replicas are still, and what the others wrote is seen.
  template <class Step>
  void end_turn(Step& step) {
    if (control_.stopping()) control_.board.end_after(turn() + 1);
    if (slices(step) > 1) return advance_by(1);
    // To wake the others for so little would take longer.
    step.merge(turn_plan(), {0, 1});
    advance_by(2);
  }

  void advance_by(std::uint32_t phases) { control_.board.advance(phase_, phase_ + phases); }

  control_block& control_;
  worker_slot& me_;
  round_plan round_;
  chunk_plan plan_;
  shard range_;
  chunk_order order_;
  std::size_t virtual_workers_, place_;
  std::uint32_t phase_ = 0;
  bool holds_ = false;
};

}  // namespace hogwild
