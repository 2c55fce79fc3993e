// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/process_watch.hpp>

#include <csignal>

#include "platform/pidfd.hpp"

namespace hogwild {

struct process_watch::state {
  process_identity who;
  detail::unique_fd pidfd{};
};

process_watch::process_watch(const process_identity& who) : state_(new state{.who = who}) {
  detail::unique_fd opened = detail::open_pidfd(who.pid);
  // Only now is it certain which process the descriptor refers to: the number may have been reused before it was
  // opened.
  const auto now = opened ? process_identity::of(who.pid) : std::nullopt;
  if (now && now->is_same(who)) state_->pidfd = std::move(opened);
}

process_watch::process_watch(process_watch&&) noexcept = default;
process_watch& process_watch::operator=(process_watch&&) noexcept = default;
process_watch::~process_watch() = default;

const process_identity& process_watch::who() const {
  return state_->who;
}

bool process_watch::certain() const {
  return static_cast<bool>(state_->pidfd);
}

bool process_watch::ended() const {
  return wait_for(std::chrono::nanoseconds(0));
}

bool process_watch::wait_for(std::chrono::nanoseconds timeout) const {
  const auto deadline = detail::deadline_after(timeout);
  if (state_->pidfd) return detail::ended_by(state_->pidfd.get(), deadline);
  return detail::poll_until(deadline, [&] { return !state_->who.alive(); });
}

bool process_watch::kill(int signal) const {
  if (state_->pidfd) return ::syscall(SYS_pidfd_send_signal, state_->pidfd.get(), signal, nullptr, 0u) == 0;
  return state_->who.alive() && ::kill(state_->who.pid, signal) == 0;
}

}  // namespace hogwild
