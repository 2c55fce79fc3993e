// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/detail/sharing/exclusive.hpp>
#include <hogwild/detail/sharing/gathered.hpp>
#include <hogwild/detail/sharing/head.hpp>
#include <hogwild/detail/sharing/private.hpp>
#include <hogwild/detail/sharing/replica.hpp>
#include <hogwild/detail/sharing/untrained.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// The sharing policies that a task supports.
enum class sharing_choices {
  whole,    ///< all that share or replicate a whole array; head sharing then replicates all of it
  and_head  ///< head sharing too, for margin models
};

/// Calls train(sharing) with the sharing policy that the worker's plan names: the one place that turns an access_kind
/// into a type. Does not call it if the worker has nothing to do in this round. `columns`: of the data;
/// `first_singleton` as in replica.
template <parameter T, sharing_choices Choices, class F>
void with_sharing(const worker_context& at, const std::vector<parameter_group>& groups, std::size_t columns,
                  std::size_t first_singleton, const F& train) {
  constexpr bool has_head = Choices == sharing_choices::and_head;
  const loop_options& o = at.plan.options;
  const round_plan& round = at.store.control().round;
  if (at.slot >= round.end_slot) return;
  access_kind kind = o.sharing;
  if (kind == access_kind::head && !has_head) kind = access_kind::buffered;
  if (kind == access_kind::alone) {
    // A worker that joins while another has the array alone in this round waits for the next round. A worker that is no
    // longer alone sees every step of the others, since no exchange was planned for them.
    const std::uint32_t only = round.only_slot;
    if (only == round_plan::no_slot)
      kind = access_kind::direct;
    else if (only != at.slot)
      return;
  }
  if (kind == access_kind::gathered) return train(gathered_sharing<T>(at.store, *at.hook));
  if (kind != access_kind::direct && kind != access_kind::head) {
    const auto arrays = private_arrays_of<T>(kind, at, groups, first_singleton);
    return train(private_sharing<T>(*arrays));
  }
  if (kind == access_kind::direct && is_exclusive(o.update))
    return train(exclusive_sharing<T>(at.store, at.slot, groups, columns, o.update));
  with_update(o.update, [&]<class Update>() {
    if (kind == access_kind::direct) return train(direct_sharing<T, Update>(at.store, at.slot));
    if constexpr (Update::kind != update_kind::locked && has_head) {
      replica<T> hot(at.store, at.slot, at.memory, groups, o.exchange.head, first_singleton, Update::kind);
      train(head_sharing<T, Update>(at.store, hot));
    } else {
      throw_unshared(o);  // refused before (combinations.hpp)
    }
  });
}

}  // namespace hogwild
