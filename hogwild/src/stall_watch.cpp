// SPDX-License-Identifier: Apache-2.0
#include <hogwild/stall_watch.hpp>

#include <hogwild/core/thread_activity.hpp>

namespace hogwild {

void stall_watch::restart(clock::time_point now) {
  moved_ = now;
  ticks_.reset();
}

void stall_watch::look(const worker_slot& slot, bool waited_for, clock::time_point now) {
  const std::uint64_t progress = slot.progress();
  if (!waited_for || progress != progress_) restart(now);
  progress_ = progress;
}

bool stall_watch::stalled(const worker_slot& slot, clock::time_point now) {
  const auto still = now - moved_;
  if (still < patience / 2 || (ticks_ && still < patience)) return false;
  const auto seen = thread_activity::of(slot.pid.load(), slot.thread.load());
  if (!seen) return still > 10 * patience;
  if (!ticks_) {
    ticks_ = seen->cpu_ticks;
    return false;
  }
  if (!seen->is_stopped() && (seen->is_at_work() || seen->cpu_ticks != *ticks_)) {
    restart(now);
    return false;
  }
  return true;
}

}  // namespace hogwild
