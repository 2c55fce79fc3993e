// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hogwild/detail/control/epoch_gate.hpp>
#include <hogwild/detail/engines/stall_watch.hpp>
#include <hogwild/detail/engines/worker_deaths.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/detail/platform/process_watch.hpp>
#include <hogwild/engines.hpp>

namespace hogwild {

/// The supervisor's view of its worker processes: starts them, runs rounds, notices which died or were stopped, and
/// starts others in their place. Used by one thread.
class worker_pool {
 public:
  /// Reserves the first `workers` slots, of which the first `drivers` drive a device each; constructed before the store
  /// opens for workers.
  worker_pool(const param_store& store, const process_engine& engine, std::size_t workers, std::size_t drivers,
              note_function note);
  /// Tells the workers to leave, waits for them, and kills those that do not.
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Spawns the workers and returns when all have joined, or after a while when some have. Throws if they end before
  /// they join, or none joins: an error of the kind that they threw if they reported one, else worker_error. A worker
  /// that has used up its CPU time (RLIMIT_CPU) goes on. If this process handles SIGXCPU, or waits for it, it gets one,
  /// as if it had met the limit itself; otherwise the call that is running throws resource_error.
  void start();
  /// Opens the gate and closes it when all living workers have finished. Throws worker_error if workers cannot be kept
  /// alive, if three workers have died on one chunk, or if a worker took this process for dead; an error of the kind
  /// that workers threw if they reported one; cache_error if a worker found the dataset damaged.
  void run_round();
  /// Called between rounds: ends the workers that were left out in the middle of a row, which they would finish on
  /// waking; in a reproducible run all that were left out, because they may be about to take a work item.
  void end_stopped();

  std::size_t replaced() const { return replaced_; }
  std::uint64_t rows_lost() const { return rows_lost_; }

 private:
  using clock = std::chrono::steady_clock;

  /// The supervisor's record of the worker in a slot.
  struct member {
    std::optional<child_process> child;  ///< a process that this one started
    std::optional<process_watch> guest;  ///< one that joined by hand
    bool joined = false;
    stall_watch pace{};
  };

  void spawn_into(std::size_t slot);
  void look_after_members();
  void look_after_guest(std::size_t slot);
  void on_cpu_limit(std::size_t slot);
  void leave_out_stopped(std::uint32_t opened);
  bool reproducible() const { return store_.shape().replicas > 0; }
  bool in_lockstep() const { return store_.shape().meeting_bytes > 0; }
  void break_off_turns() const;
  void reap(std::size_t slot, const std::string& how, std::int32_t next_pid);
  std::string named(std::size_t slot) const;
  void wait_for_any_worker();
  bool is_idle(const worker_slot& slot) const;
  void on_exit(std::size_t slot, const exit_status& status);
  std::size_t count(worker_state state) const;
  std::uint64_t chunks_begun() const;
  void tell(const std::string& sentence) const;

  const param_store& store_;
  process_engine engine_;
  std::size_t workers_, drivers_;
  note_function note_;
  gate_controller gate_;
  std::vector<member> members_;
  clock::time_point looked_ = clock::now();
  std::uint64_t pass_ = 0;
  bool round_open_ = false;
  std::size_t replaced_ = 0;
  std::uint64_t rows_lost_ = 0;
  worker_deaths deaths_;
};

}  // namespace hogwild
