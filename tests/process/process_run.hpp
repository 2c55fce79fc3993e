// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/segments.hpp>
#include <hogwild/worker_main.hpp>

#include "engines/attached_store.hpp"
#include "support/eventually.hpp"
#include "support/sanitizers.hpp"
#include "support/toy_data.hpp"

// Parts that tests of the process engine share: models that are slow enough to be caught at work, and observation of a
// run.

namespace hogwild::test {

using namespace std::chrono_literals;

/// Sanitizers slow down the start of a process; disturbed runs last as much longer.
inline constexpr int slowness = sanitized ? 3 : 1;

/// Logistic regression that sleeps for a moment in each row, between its reads and its adds.
struct slow_logistic : logistic {
  static constexpr std::string_view name = "slow_logistic";
  float derivative(float margin, float label) const {
    std::this_thread::sleep_for(20us);  // about 75 with what the system adds
    return logistic::derivative(margin, label);
  }
};

inline toy_rows some_rows(std::size_t rows = 1000) {
  return planted_classification({.rows = rows, .columns = 50, .per_row = 8});
}

/// The finished segment that process `owner` has made.
inline std::optional<segment_info> segment_of(pid_t owner) {
  for (const segment_info& s : list_segments()) {
    if (s.owner.pid == owner) return s;
  }
  return std::nullopt;
}

inline std::size_t active_workers(const param_store& run) {
  std::size_t active = 0;
  for (const worker_slot& slot : run.slots()) active += slot.state.load() == worker_state::active;
  return active;
}

/// A second mapping of the run that process `owner` supervises, as soon as there is one and `workers` have joined.
inline std::optional<param_store> look_at_run(pid_t owner, std::size_t workers, std::string_view model) {
  std::optional<param_store> store;
  eventually(60s, [&] {
    const auto found = store ? std::nullopt : segment_of(owner);
    if (found) store.emplace(detail::attached_store::open(found->name, model));
    if (!store) return false;
    // The first round is open: the observers were told of the start before.
    return active_workers(*store) >= workers && store->control().gate.load() > 2;
  });
  return store;
}

/// Sends a signal to the worker in a slot, and returns its pid. Never signals a slot that is only reserved, or all
/// processes.
inline pid_t send(const worker_slot& slot, int signal) {
  const pid_t pid = slot.pid.load();
  if (pid > 0) ::kill(pid, signal);
  return pid;
}

/// Stops a worker, so that its unsent gains do not change, and kills it. Returns how many there were; nothing if there
/// is no such worker, or if it had fewer than `least` and goes on. The pool's own thread waits for its children by
/// their descriptors and for their ends only.
inline std::optional<std::uint64_t> kill_standing_still(const worker_slot& slot, std::uint64_t least = 0) {
  const pid_t pid = send(slot, SIGSTOP);
  if (pid <= 0) return std::nullopt;
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WEXITED | WNOWAIT);
  const std::uint64_t unsent = slot.unsent.get();
  ::kill(pid, unsent < least ? SIGCONT : SIGKILL);
  return unsent < least ? std::nullopt : std::optional(unsent);
}

/// The children of a thread of this process.
inline std::vector<pid_t> children_of(pid_t thread) {
  std::ifstream list("/proc/self/task/" + std::to_string(thread) + "/children");
  std::vector<pid_t> pids;
  for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  return pids;
}

/// The CPUs on which the worker in each slot may run.
inline std::vector<std::vector<int>> cpus_of_workers(const param_store& run) {
  std::vector<std::vector<int>> workers;
  for (const worker_slot& slot : run.slots()) {
    cpu_set_t set;
    if (slot.pid <= 0 || ::sched_getaffinity(slot.pid, sizeof set, &set) != 0) continue;
    std::vector<int>& cpus = workers.emplace_back();
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return workers;
}

/// Runs act(store) beside a run of this process, when its workers are at work, and asks the run to stop after it.
class watched_run {
 public:
  template <class Act>
  watched_run(std::size_t workers, std::string_view model, Act act)
      : thread_([this, workers, model, act = std::move(act)] {
          const auto run = look_at_run(::getpid(), workers, model);
          EXPECT_TRUE(run);
          if (run) act(*run);
          end_.request_stop();
        }) {}
  std::stop_token stop() const { return end_.get_token(); }
  void join() { thread_.join(); }

 private:
  std::stop_source end_;
  std::jthread thread_;
};

/// The segments that this process has left in shared memory.
inline std::vector<std::string> leftovers() {
  const std::string mine = "hogwild-" + std::to_string(::getpid()) + "-";
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().starts_with(mine)) found.push_back(entry.path().filename());
  }
  return found;
}

/// Keeps the notes of a run and checks after each epoch that every ticket was finished in it.
class witness : public observer {
 public:
  explicit witness(std::string_view model) : model_(model) {}

  void on_start(const run_start&) override {
    if (const auto s = segment_of(::getpid())) store_.emplace(detail::attached_store::open(s->name, model_));
  }
  observer_answer on_epoch(const epoch_report& epoch) override {
    epochs = epoch.epoch;
    if (!store_ || store_->control().stopping())
      return observer_answer::go_on;  // a run that was stopped leaves tickets undrawn
    for (const auto& mark : store_->done()) unfinished += mark.get() <= number_;
    number_ = store_->control().round.number;
    return observer_answer::go_on;
  }
  void on_note(std::string_view sentence) override {
    const std::lock_guard lock(mutex_);
    notes_.emplace_back(sentence);
  }
  std::vector<std::string> notes() const {
    const std::lock_guard lock(mutex_);
    return notes_;
  }
  bool saw_segment() const { return store_.has_value(); }

  std::size_t epochs = 0;
  std::size_t unfinished = 0;

 private:
  std::string model_;
  std::optional<param_store> store_;
  std::uint32_t number_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

/// Lets no run end before `most` processes were killed, however late the thread that kills them gets a CPU: one at
/// least in so many epochs. Once it has waited a minute in vain, it waits no more.
class patient_witness : public witness {
 public:
  patient_witness(std::string_view model, std::size_t most_deaths, std::size_t epochs_of_one)
      : witness(model), most(most_deaths), epochs_of_one_(epochs_of_one) {}
  observer_answer on_epoch(const epoch_report& epoch) override {
    witness::on_epoch(epoch);
    ended = epoch.epoch;
    waits_ = waits_ && eventually(60s, [&] { return deaths >= most || deaths * epochs_of_one_ >= epoch.epoch; });
    return observer_answer::go_on;
  }

  std::size_t most;
  std::atomic<std::size_t> deaths = 0;  ///< counted by the thread that kills
  std::atomic<std::size_t> ended = 0;   ///< epochs

 private:
  std::size_t epochs_of_one_;
  bool waits_ = true;
};

/// The role of these tests' programs: a worker of `Models`, or none.
template <model... Models>
std::optional<int> worker_role(int argc, char** argv) {
  return worker_main<Models...>(argc, argv);
}

}  // namespace hogwild::test
