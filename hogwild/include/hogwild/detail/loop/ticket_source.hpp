// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_store.hpp>

namespace hogwild {

/// A drawn ticket: which chunk to train on, and how many rows the run drew before it in this epoch; with several
/// processes, as far as this one can tell.
struct ticket {
  std::size_t number;
  std::size_t chunk;
  double position;
};

/// Draws one worker's tickets of the round that is open.
///
/// A ticket source is who trains on which chunk when. The worker loop calls draw(step) for the next one, finish() when
/// it has been trained, and leaves when there is none or stopped() says so.
class ticket_source {
 public:
  ticket_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
                const loop_options& options)
      : store_(store),
        round_(round),
        plan_(plan),
        seed_(options.seed),
        claimed_(options.shards == sharding::claimed),
        own_(slot) {}

  /// The next ticket; nothing when all are dealt out.
  template <class Step>
  std::optional<ticket> draw(Step&) {
    if (round_.redo > 0) {
      // All workers draw redo tickets from one counter, whatever the shards.
      const auto i = store_.counters()[0].draw(round_.number, round_.redo);
      if (!i) return std::nullopt;
      return ticket_of(store_.redo()[*i], static_cast<double>(*i));
    }
    const auto number = draw_number();
    if (!number) return std::nullopt;
    if (!claimed_) {
      const double before = static_cast<double>(*number - shard_of(own_).first);
      return ticket_of(*number, before * static_cast<double>(round_.shards));
    }
    const auto before = store_.control().drawn.draw(round_.number, plan_.count());
    if (!before) return std::nullopt;
    return ticket_of(*number, static_cast<double>(*before));
  }

  template <class Step>
  void finish(const ticket&, Step&, race_probe&) const {}

  /// Whether to leave now, between two tickets.
  bool stopped() const { return store_.control().stopping(); }

  /// The tickets of a shard that belong to this round.
  static shard part_of(shard whole, const round_plan& round) {
    return {whole.first + whole.size() * round.part / round.parts,
            whole.first + whole.size() * (round.part + 1) / round.parts};
  }

 private:
  shard shard_of(std::size_t id) const {
    return shard::part(plan_.count(), shard_id(static_cast<std::uint32_t>(id)), round_.shards);
  }

  shard shard_holding(std::size_t number) const {
    std::size_t id = number * round_.shards / plan_.count();
    while (shard_of(id).last <= number) ++id;
    return shard_of(id);
  }

  /// `before`: how many tickets were drawn before this one.
  ticket ticket_of(std::size_t number, double before) const {
    const chunk_order order(plan_, shard_holding(number), seed_, round_.pass);
    const double position = before * static_cast<double>(plan_.rows_per_chunk());
    return {number, order(number), std::min(position, static_cast<double>(plan_.rows())) * round_.l2.stretch};
  }

  /// From the worker's own shard, then from where most is left. Who joined late has no shard: it helps, or waits for a
  /// redo round where shards are fixed.
  std::optional<std::size_t> draw_number() {
    if (own_ < round_.shards) {
      if (const auto i = draw_from(own_)) return i;
    }
    while (claimed_) {
      std::size_t fullest = 0, most = 0;
      for (std::size_t id = 0; id < round_.shards; ++id) {
        const std::size_t left = store_.counters()[id].left(round_.number, part_of(shard_of(id), round_).last);
        if (left > most) fullest = id, most = left;
      }
      if (most == 0) break;
      if (const auto i = draw_from(fullest)) return i;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> draw_from(std::size_t id) {
    return store_.counters()[id].draw(round_.number, part_of(shard_of(id), round_).last);
  }

  const param_store& store_;
  round_plan round_;
  chunk_plan plan_;
  std::uint64_t seed_;
  bool claimed_;
  std::size_t own_;
};

}  // namespace hogwild
