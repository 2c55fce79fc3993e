// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <hogwild/detail/control/round_robin.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/worker/shard_source.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Draws the tickets of workers whose examples are atomic (exclusive_sharing). Under update_kind::ordered a ticket is
/// one example, and workers draw and train in a fixed circle: each ticket is drawn when the one before is trained, so
/// that the result does not depend, to the bit, on how many workers there are, or which. A worker that is dead or was
/// left out loses its turn; its ticket is drawn again in a redo round like any other. Otherwise tickets are those of a
/// shard_source.
class exclusive_source final : public ticket_source {
 public:
  explicit exclusive_source(const worker_round& at) : me_(at.store.slots()[at.slot]), tickets_(at) {
    if (at.options.update != update_kind::ordered) return;
    const auto slots = at.store.slots();
    order_.emplace(at.store.stripes(), slots.size(), at.slot, worker_counts, slots.data());
    order_->enter();
  }
  /// A worker that leaves in its turn (because its row source threw, say) must not keep the others waiting.
  ~exclusive_source() override {
    if (order_) order_->leave();
  }

  std::optional<ticket> draw() override {
    if (order_ && !order_->take([this] { return gives_up(); })) return std::nullopt;
    return tickets_.draw();
  }
  void finish(race_probe&) override {
    if (order_) order_->hand_on();
  }
  bool stopped() const override { return tickets_.stopped(); }

 private:
  static bool worker_counts(const void* slots, std::size_t slot) noexcept {
    return static_cast<const worker_slot*>(slots)[slot].is_waited_for();
  }
  bool gives_up() const {
    me_.waits.raise(1);  // a sign of life
    return stopped() || !me_.counts();
  }

  worker_slot& me_;
  shard_source tickets_;
  std::optional<round_robin> order_{};
};

}  // namespace hogwild
