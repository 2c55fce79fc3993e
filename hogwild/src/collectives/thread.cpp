// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/thread.hpp>

#include <vector>

#include <hogwild/detail/collectives/lost_peer.hpp>

#include "memory_collective.hpp"

namespace hogwild {

struct thread_group::state {
  state(std::size_t size, const collective_options& o) : members(size), options(o) {}

  detail::meeting_place place{};
  std::vector<detail::group_member> members;
  collective_options options;
};

thread_group::thread_group(std::size_t size, const collective_options& options) {
  if (size == 0) detail::check_rank(0, size);
  state_ = std::make_unique<state>(size, options);
}

thread_group::~thread_group() = default;

std::size_t thread_group::size() const noexcept {
  return state_->members.size();
}

std::unique_ptr<collective> thread_group::join(std::size_t rank) {
  return std::make_unique<detail::memory_collective>(
      detail::common_memory{.place = &state_->place, .members = state_->members}, rank, state_->options);
}

}  // namespace hogwild
