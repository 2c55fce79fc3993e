// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <hogwild/core/chunk.hpp>
#include <hogwild/core/param_store.hpp>
#include <hogwild/core/shard.hpp>
#include <hogwild/core/telemetry.hpp>

namespace hogwild {

/// A drawn ticket: which chunk to train on, and how many rows the run drew before it in this epoch.
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
                std::uint64_t seed)
      : store_(store), round_(round), plan_(plan), seed_(seed), shards_(round.shards), own_(slot) {
    if (round_.redo > 0) {
      own_ = 0;
      range_ = {0, round_.redo};
    } else if (shards_ == 1) {
      own_ = 0;
      range_ = part_of(shard{0, plan.count()}, round_);
    } else if (own_ < shards_) {
      range_ = part_of(shard::part(plan.count(), shard_id(static_cast<std::uint32_t>(own_)), shards_), round_);
    }
    // A worker beyond the fixed shards joined late: it has nothing to draw until a redo round.
  }

  /// The next ticket; nothing when all are dealt out.
  template <class Step>
  std::optional<ticket> draw(Step&) {
    if (range_.size() == 0) return std::nullopt;
    const auto i = store_.counters()[own_].draw(round_.number, range_.last);
    if (!i) return std::nullopt;
    const double before = static_cast<double>(round_.redo > 0 ? *i : *i - shard_holding(*i).first);
    // All workers draw redo tickets from one counter, whatever the shards.
    const std::size_t counters = round_.redo > 0 ? 1 : shards_;
    const double position = before * static_cast<double>(counters * plan_.rows_per_chunk());
    const std::size_t number = round_.redo > 0 ? store_.redo()[*i] : *i;
    const chunk_order order(plan_, shard_holding(number), seed_, round_.pass);
    return ticket{number, order(number), std::min(position, static_cast<double>(plan_.rows()))};
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
  shard shard_holding(std::size_t number) const {
    if (shards_ == 1) return {0, plan_.count()};
    std::size_t id = number * shards_ / plan_.count();
    while (shard::part(plan_.count(), shard_id(static_cast<std::uint32_t>(id)), shards_).last <= number) ++id;
    return shard::part(plan_.count(), shard_id(static_cast<std::uint32_t>(id)), shards_);
  }

  const param_store& store_;
  round_plan round_;
  chunk_plan plan_;
  std::uint64_t seed_;
  std::size_t shards_, own_;
  shard range_{};
};

}  // namespace hogwild
