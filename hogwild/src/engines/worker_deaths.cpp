// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/engines/worker_deaths.hpp>

#include <csignal>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/collectives/segment.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

constexpr int weight_of_failure = 10, weight_of_kill = 1, largest_weight = 30;

bool killed_from_outside(const exit_status& status) {
  return status.signal == SIGKILL || status.signal == SIGTERM || status.signal == SIGINT || status.signal == SIGHUP;
}

/// The likely cause if a model trains well in threads and dies in processes.
std::string pointer_perhaps(const exit_status& status) {
  if (status.signal != SIGSEGV && status.signal != SIGBUS) return "";
  return "; the likely cause is a pointer, reference or span inside the model, which leads nowhere in another process";
}

constexpr auto from_outside = "they are killed from outside, perhaps by the system for lack of memory";

/// A worker reports what it throws through the run's segment. A worker without memory for mapping the segment cannot,
/// and reports it by its exit code alone.
std::string why_it_never_joined(const exit_status& status) {
  if (killed_from_outside(status)) return from_outside;
  if (status.signal == 0 && status.code == static_cast<int>(exit_code::resources)) {
    return "they cannot attach to the run's shared memory, probably for lack of memory or of descriptors; raise the "
           "limits on memory (ulimit -v) and on open files (ulimit -n), or start fewer workers";
  }
  return "does main call hogwild::worker_main first, with this model's type?";
}

}  // namespace

void worker_deaths::add(const worker_death& last) {
  const int weight = killed_from_outside(last.status) ? weight_of_kill : weight_of_failure;
  const auto give_up = [&](const std::string& what, const std::string& why) {
    if (last.said) {
      throw_failure(
          {.code = last.said->code, .text = last.who + " has failed, as others before it: " + last.said->text});
    }
    throw worker_error(what + " (the last one " + last.status.describe() + "): " + why);
  };
  if (last.drove_device && weight == weight_of_failure && std::exchange(device_failed_, true)) {
    give_up("worker processes that drive a device end",
            "the device, its driver or the model's kernels fail" + pointer_perhaps(last.status));
  }
  if (!last.joined && (failed_starts_ += weight) >= largest_weight) {
    give_up("worker processes end before they join", why_it_never_joined(last.status));
  }
  if (last.held != 0 && (chunk_failures_[last.held] += weight) >= largest_weight) {
    give_up("ticket " + std::to_string(last.held - 1) + " of epoch " + std::to_string(last.epoch) +
                " has ended several worker processes",
            killed_from_outside(last.status) ? from_outside
                                             : "the model fails on one of its rows" + pointer_perhaps(last.status));
  }
  if (last.chunks_begun != std::exchange(begun_before_, last.chunks_begun)) weight_without_progress_ = 0;
  if (last.joined && (weight_without_progress_ += weight) >= largest_weight) {
    give_up("worker processes end one after the other without finishing a chunk",
            "look for what kills them, or for what the model does before its first row");
  }
}

// If ranks end because they have lost another one, the group says which.
void throw_lost_rank(const param_store& store, std::size_t ranks, std::size_t slot, pid_t pid,
                     const exit_status& status) {
  const std::string why = segment_group_failure(store.bytes(), store.meeting_offset());
  // A rank that failed by itself reports its own error, the others report the group's.
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto said = store.failures()[rank].said();
    if (!said || said->text == why) continue;
    if (said->is_cache_error) throw cache_error("", "a worker process found the dataset's cache damaged");
    throw_failure({.code = said->code, .text = detail::failed_text(rank, ranks, said->text)});
  }
  if (status.signal == 0 && !why.empty()) throw worker_error(why);
  throw worker_error(detail::ended_text(slot, ranks, "(process " + std::to_string(pid) + ") " + status.describe()));
}

}  // namespace hogwild
