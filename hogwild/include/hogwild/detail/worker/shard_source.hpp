// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Draws from the worker's own shard, and from those of others where shards are claimed.
class shard_source final : public ticket_source {
 public:
  explicit shard_source(const worker_round& at)
      : store_(at.store),
        round_(at.round),
        plan_(at.plan),
        seed_(at.options.seed),
        order_(at.options.order),
        claimed_(at.options.shards == sharding::claimed),
        own_(at.slot) {}

  std::optional<ticket> draw() override;
  std::optional<std::size_t> following(const ticket& drawn, std::size_t ahead) const override;
  bool stopped() const override { return store_.control().stopping(); }

  /// The tickets of a shard that belong to this round.
  static shard part_of(shard whole, const round_plan& round) {
    return {whole.first + whole.size() * round.part / round.parts,
            whole.first + whole.size() * (round.part + 1) / round.parts};
  }

 private:
  shard shard_of(std::size_t id) const {
    return shard::part(plan_.count(), shard_id(static_cast<std::uint32_t>(id)), round_.shards);
  }

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
