// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/engines/stall_watch.hpp>

#include <hogwild/detail/platform/thread_activity.hpp>

namespace hogwild {

void stall_watch::restart(clock::time_point now) {
  moved_ = at_work_ = now;
  waits_for_disk_ = told_ = false;
  ticks_.reset();
}

void stall_watch::look(const worker_slot& slot, bool waited_for, clock::time_point now) {
  const std::uint64_t progress = slot.progress();
  if (!waited_for || progress != progress_) restart(now);
  progress_ = progress;
}

bool stall_watch::stalled(const worker_slot& slot, clock::time_point now) {
  const auto still = now - moved_;
  if (still < timeout / 2 || (ticks_ && still < timeout)) return false;
  const auto trainer = thread_activity::of(slot.pid.load(), slot.thread.load());
  const auto all = process_activity::of(slot.pid.load(), slot.watch.load());
  if (!trainer || !all) return still > 10 * timeout;
  if (!ticks_) {
    ticks_ = all->cpu_ticks;
    return false;
  }
  if (trainer->is_stopped()) return true;
  if (all->runs || all->cpu_ticks != *ticks_) {
    restart(now);
    return false;
  }
  if (!all->waits_for_disk) return true;
  moved_ = now;
  waits_for_disk_ = true;
  ticks_.reset();
  return false;
}

bool stall_watch::waits_long(clock::time_point now) {
  if (!waits_for_disk_ || told_ || now - at_work_ < disk_timeout) return false;
  told_ = true;
  return true;
}

}  // namespace hogwild
