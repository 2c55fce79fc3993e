// SPDX-License-Identifier: Apache-2.0
#include "engines/sync_task.hpp"

#include <string>
#include <utility>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/platform/failure.hpp>
#include <hogwild/detail/worker/row_state.hpp>

namespace hogwild::detail {

std::chrono::nanoseconds timeout_of(const loop_options& options) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(options.exchange.timeout_seconds));
}

sync_task::sync_task(const training_task& whole, std::vector<std::unique_ptr<collective>> members)
    : decorated_task(whole) {
  for (auto& member : members)
    ranks_.push_back(std::make_unique<sync_rank>(std::move(member), whole.facts().parameters));
}

sync_task::sync_task(std::unique_ptr<training_task> whole, std::unique_ptr<collective> member)
    : decorated_task(std::move(whole)) {
  const std::size_t slot = member->rank();
  ranks_.resize(slot + 1);
  ranks_[slot] = std::make_unique<sync_rank>(std::move(member), facts_.parameters);
}

void sync_task::work(const worker_context& at) const {
  const param_store mine = at.store.replica_view(at.slot);
  sync_rank& rank = *ranks_[at.slot];
  const loop_options& o = at.plan.options;
  const auto train = [&]<parameter T>() {
    rank_meeting<T> meeting(mine, at.slot, rank, o.sharing == access_kind::gathered, o.exchange.scale,
                            trained(facts_.groups), trained(groups_of_array(mine.shape(), 1, facts_.groups)));
    whole().work({at.plan, mine, at.slot, at.memory, &meeting});
  };
  try {
    facts_.scalar_bytes == sizeof(float) ? train.template operator()<float>() : train.template operator()<double>();
  } catch (...) {
    const auto what = current_failure();
    at.store.failures()[at.slot].tell(what);
    fail(rank, std::current_exception(), what.text);
    throw;
  }
}

std::vector<parameter_group> sync_task::trained(const std::vector<parameter_group>& all) const {
  std::vector<parameter_group> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!options_.freezes(i)) some.push_back(all[i]);
  return some;
}

/// Records an error before the other ranks learn of it and throw because of it.
void sync_task::fail(sync_rank& rank, std::exception_ptr what, const std::string& text) const {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = what;
  }
  rank.ranks->fail(text);
}

std::exception_ptr sync_task::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace hogwild::detail
