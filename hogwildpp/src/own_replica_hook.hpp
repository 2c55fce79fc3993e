// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/sharing/exchange_hook.hpp>

#include "ring_turn.hpp"

namespace hogwild::detail {

/// The exchange hook of a worker on a ring that has its replica to itself, under the rule `deltas`: under buffered
/// sharing the worker's array is the replica, so that its exchanges with the common model are the ring's. Workers take
/// turns by the token, which is passed on after at most half a period.
class own_replica_hook final : public exchange_hook {
 public:
  own_replica_hook(const param_store& store, std::size_t slot, const exchange_options& ring)
      : me_(store.slots()[slot]), turn_(store, slot, ring, polls_per_period / 2) {}

  bool may_exchange() override { return turn_.take(true); }
  void exchanged(std::size_t bytes) override {
    me_.ring_bytes.raise(bytes);
    turn_.pass(true);
  }

 private:
  worker_slot& me_;
  ring_turn turn_;
};

}  // namespace hogwild::detail
