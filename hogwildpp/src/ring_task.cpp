// SPDX-License-Identifier: Apache-2.0
#include "ring_task.hpp"

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/untrained.hpp>

#include "own_replica_hook.hpp"
#include "ring_hook.hpp"

namespace hogwild::detail {

void ring_task::work(const worker_context& at) const {
  const exchange_options& ring = at.plan.options.exchange;
  if (ring.one_worker_each()) {
    own_replica_hook node(at.store, at.slot, ring);
    worker_memory replica(at.store.ring_memory_of(replica_of(at.slot, ring)));
    // A worker that joins beyond the planned number has no replica of its own, but takes its turns.
    return whole().work({at.plan, at.store, at.slot, at.slot < ring.workers ? replica : at.memory, &node});
  }
  const param_store replica = at.store.replica_view(replica_of(at.slot, ring));
  with_update(at.plan.options.update, [&]<class Update>() {
    if constexpr (Update::kind != update_kind::locked) {
      const auto train = [&]<parameter T>() {
        ring_hook<T, Update> node(at.store, at.slot, ring, facts_.groups);
        whole().work({at.plan, replica, at.slot, at.memory, &node});
      };
      facts_.scalar_bytes == sizeof(float) ? train.template operator()<float>() : train.template operator()<double>();
    } else {
      throw_unshared(at.plan.options);  // refused earlier, by the engine's plan
    }
  });
}

}  // namespace hogwild::detail
