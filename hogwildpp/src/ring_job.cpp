// SPDX-License-Identifier: Apache-2.0
#include "ring_job.hpp"

#include "lone_node.hpp"
#include "ring_node.hpp"

namespace hogwild::detail {

void ring_job::work(const param_store& store, std::size_t slot, worker_memory& memory, neighbours*) const {
  const exchange_options& ring = options_.exchange;
  if (ring.one_worker_each()) {
    lone_node node(store, slot, ring);
    worker_memory replica(store.ring_memory_of(replica_of(slot, ring)));
    // Who joins above the number of workers has no replica, but takes its turns.
    return whole().work(store, slot, slot < ring.workers ? replica : memory, &node);
  }
  const param_store replica = store.ring_replica(replica_of(slot, ring));
  with_update(options_.update, [&]<class Update>() {
    if constexpr (Update::kind != update_kind::locked) {
      const auto train = [&]<parameter T>() {
        ring_node<T, Update> node(store, slot, ring, groups());
        whole().work(replica, slot, memory, &node);
      };
      scalar_bytes() == sizeof(float) ? train.template operator()<float>() : train.template operator()<double>();
    }
  });
}

}  // namespace hogwild::detail
