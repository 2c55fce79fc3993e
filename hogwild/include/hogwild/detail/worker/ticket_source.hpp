// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// A drawn ticket: which chunk to train on, and how many rows the run drew before it in this epoch; with several
/// processes that is an estimate by this process.
struct ticket {
  std::size_t number;
  std::size_t chunk;
  double position;
};

/// Draws one worker's tickets of the round that is open.
///
/// A ticket source decides who trains on which chunk when. The worker loop calls draw(step) for the next ticket,
/// finish() when it has been trained, and leaves when there is none or stopped() is true.
class ticket_source {
 public:
  ticket_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
                const loop_options& options)
      : store_(store),
        round_(round),
        plan_(plan),
        seed_(options.seed),
        order_(options.order),
        claimed_(options.shards == sharding::claimed),
        own_(slot) {}

  /// The next ticket; nothing when all are dealt out.
  template <class Step>
  std::optional<ticket> draw(Step&) {
    return draw();
  }

  template <class Step>
  void finish(const ticket&, Step&, race_probe&) const {}

  /// The chunk of the ticket that comes `ahead` tickets after this one, unless another worker draws it; nothing if none
  /// is known.
  std::optional<std::size_t> following(const ticket& drawn, std::size_t ahead) const;

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

  std::optional<ticket> draw();
  shard shard_holding(std::size_t number) const;
  /// `before`: how many tickets were drawn before this one.
  ticket ticket_of(std::size_t number, double before) const;
  /// Draws from the worker's own shard, then from the shard with most left. A worker that joined late has no shard: it
  /// helps, or waits for a redo round if shards are fixed.
  std::optional<std::size_t> draw_number();
  std::optional<std::size_t> draw_from(std::size_t id);

  const param_store& store_;
  round_plan round_;
  chunk_plan plan_;
  std::uint64_t seed_;
  row_order order_;
  bool claimed_;
  std::size_t own_;
};

}  // namespace hogwild
