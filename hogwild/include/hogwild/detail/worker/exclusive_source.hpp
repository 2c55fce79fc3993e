// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <hogwild/detail/control/round_robin.hpp>
#include <hogwild/detail/control/telemetry.hpp>
#include <hogwild/detail/worker/ticket_source.hpp>

namespace hogwild {

/// Draws the tickets of workers whose examples are atomic (exclusive_sharing). Under update_kind::ordered a ticket is
/// one example, and workers draw and train in a fixed circle: each ticket is drawn when the one before is trained, so
/// that the result does not depend, to the bit, on how many workers there are, or which. A worker that is dead or was
/// left out loses its turn; its ticket is drawn again in a redo round like any other. Otherwise tickets are those of a
/// ticket_source.
class exclusive_source {
 public:
  exclusive_source(const param_store& store, const round_plan& round, std::size_t slot, const chunk_plan& plan,
                   const loop_options& options)
      : me_(store.slots()[slot]), tickets_(store, round, slot, plan, options) {
    if (options.update != update_kind::ordered) return;
    order_.emplace(store.stripes(), store.slots().size(), slot, worker_counts, store.slots().data());
    order_->enter();
  }
  /// A worker that leaves in its turn (because its row source threw, say) must not keep the others waiting.
  ~exclusive_source() {
    if (order_) order_->leave();
  }
  exclusive_source(const exclusive_source&) = delete;
  exclusive_source& operator=(const exclusive_source&) = delete;

  /// The next ticket; nothing when all are dealt out, or if the worker has to stop waiting for its turn.
  template <class Step>
  std::optional<ticket> draw(Step& step) {
    if (order_ && !order_->take([this] { return gives_up(); })) return std::nullopt;
    return tickets_.draw(step);
  }
  template <class Step>
  void finish(const ticket&, Step&, race_probe&) const {
    if (order_) order_->hand_on();
  }
  bool stopped() const { return tickets_.stopped(); }

 private:
  static bool worker_counts(const void* slots, std::size_t slot) noexcept {
    return static_cast<const worker_slot*>(slots)[slot].is_waited_for();
  }
  bool gives_up() const {
    me_.waits.raise(1);  // a sign of life
    return stopped() || !me_.counts();
  }

  worker_slot& me_;
  ticket_source tickets_;
  std::optional<round_robin> order_{};
};

}  // namespace hogwild
