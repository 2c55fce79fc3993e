// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/shard.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// The merge at the end of a turn.
struct merge_plan {
  std::size_t turn;             ///< counted within the round
  std::size_t virtual_workers;  ///< those with a replica in this round
  bool last;                    ///< whether it is the round's last turn, which merges everything
};

/// One of `count` parts of a merge.
struct merge_slice {
  std::size_t number;
  std::size_t count;
};

/// The replicas of virtual workers, for a worker that plays one virtual worker at a time.
class virtual_replicas {
 public:
  /// From now on the worker plays virtual worker `v`.
  virtual void become(std::size_t v, std::size_t turn) = 0;
  /// The most slices into which a merge is worth cutting.
  virtual std::size_t worth_slices(const merge_plan& turn) const = 0;
  /// Merges one slice of a turn's merge.
  virtual void merge(const merge_plan& turn, const merge_slice& slice) const = 0;

 protected:
  ~virtual_replicas() = default;
};

/// Draws tickets of a reproducible round: the i-th ticket of the round belongs to virtual worker i mod V, in turn i /
/// V. In a turn each virtual worker trains one chunk on a replica of its own; then all gains are added to the shared
/// arrays, in the order of the virtual workers. The result is the same to the bit whichever real worker does what.
class turn_source final : public ticket_source {
 public:
  /// The replicas outlive this.
  turn_source(const worker_round& at, virtual_replicas& replicas);
  /// A worker that leaves with a ticket in hand (because its row source threw, say) must not keep the others waiting.
  ~turn_source() override {
    if (holds_) control_.board.abandon(phase_);
  }

  /// If there is no ticket yet, merges or waits for the others; nothing when the round is over.
  std::optional<ticket> draw() override;
  void finish(race_probe& probe) override;
  std::optional<std::size_t> following(const ticket& drawn, std::size_t ahead) const override {
    if (drawn.number + ahead >= range_.last) return std::nullopt;
    return order_(drawn.number + ahead);
  }

  /// Workers leave when draw() returns nothing: all after the same turn.
  bool stopped() const override { return false; }

  static std::size_t turns_of(const shard& range, std::size_t virtual_workers) {
    return (range.size() + virtual_workers - 1) / virtual_workers;
  }

 private:
  std::uint32_t phases_done() const { return (phase_ - round_.first_phase) & turn_board::phases; }
  std::size_t turn() const { return phases_done() / 2; }
  bool training() const { return phases_done() % 2 == 0; }
  std::size_t turns() const { return control_.board.turns_of_round(); }
  merge_plan turn_plan() const { return {turn(), virtual_workers_, turn() + 1 == turns()}; }

  std::size_t slices() const;
  std::optional<ticket> ticket_of(std::size_t v) const;
  /// Called by the worker that finished a turn's last chunk: no replica changes any more, and all writes to them are
  /// visible.
  void end_turn();
  void advance_by(std::uint32_t phases) { control_.board.advance(phase_, phase_ + phases); }

  control_block& control_;
  worker_slot& me_;
  virtual_replicas& replicas_;
  round_plan round_;
  chunk_plan plan_;
  shard range_;
  chunk_order order_;
  std::size_t virtual_workers_, place_;
  std::uint32_t phase_ = 0;
  bool holds_ = false;
};

}  // namespace hogwild
