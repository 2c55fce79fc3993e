// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/engines/worker_pool.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include <unistd.h>

#include <hogwild/detail/platform/process_identity.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/wait_limit.hpp>
#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/error.hpp>

#include "teams/fewer_workers.hpp"

namespace hogwild {

using namespace std::chrono_literals;

namespace {

constexpr auto look_around = 20ms;       // a death is noticed after this time at the latest
constexpr auto join_timeout = 60s;       // before a start is given up: sanitizers and busy machines are slow
constexpr auto last_join_timeout = 10s;  // before a run begins with the workers that have joined
constexpr auto leave_timeout = 2s;

bool no_process_has(pid_t pid) {
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// Whether this program handles a signal or waits for it, rather than dying of it.
bool takes_signal(int signal) {
  sigset_t blocked;
  if (::pthread_sigmask(SIG_SETMASK, nullptr, &blocked) == 0 && ::sigismember(&blocked, signal) == 1) return true;
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL;
}

}  // namespace

worker_pool::worker_pool(const param_store& store, const process_engine& engine, std::size_t workers,
                         std::size_t drivers, note_function note)
    : store_(store),
      engine_(engine),
      workers_(workers),
      drivers_(drivers),
      note_(std::move(note)),
      gate_(store.control(), store.slots()),
      members_(store.slots().size()) {
  if (engine_.program.empty()) engine_.program = this_program();
  for (std::size_t i = 0; i < workers_; ++i) store_.slots()[i].pid = worker_slot::reserved;
}

worker_pool::~worker_pool() {
  gate_.dismiss();
  break_off_turns();
  const auto deadline = clock::now() + leave_timeout;
  for (member& m : members_) {
    if (m.child) m.child->wait_for(std::max<clock::duration>(deadline - clock::now(), 0s));
    m.child.reset();  // kills a worker that has not left by now
  }
}

void worker_pool::tell(const std::string& sentence) const {
  if (note_) note_(sentence);
}

// The slot's pid is `reserved`.
void worker_pool::spawn_into(std::size_t slot) {
  worker_slot& s = store_.slots()[slot];
  ++s.generation;
  s.state = worker_state::joining;
  std::vector<std::string> arguments = engine_.arguments;
  arguments.insert(arguments.end(), {worker_marker, store_.name(), std::to_string(slot)});
  store_.failures()[slot].clear();
  members_[slot] = member{};
  members_[slot].child = spawn(engine_.program, arguments);
}

void worker_pool::start() {
  detail::start_workers([&] { require_threads(2 * workers_); });  // each trains, and watches the supervisor
  for (std::size_t i = 0; i < workers_; ++i) spawn_into(i);
  detail::wait_limit last(last_join_timeout), all(join_timeout);
  while (count(worker_state::joining) > 0) {
    const std::uint32_t arrivals = store_.control().arrivals.load();
    look_after_members();
    if (count(worker_state::joining) > 0) gate_.wait_for_arrival(arrivals, 1ms);
    if (last.passed() && count(worker_state::active) > 0) return;
    if (!all.passed()) continue;
    throw worker_error("no worker process has joined for a minute: does main call hogwild::worker_main first?");
  }
}

void worker_pool::run_round() {
  if (store_.control().round.pass != std::exchange(pass_, store_.control().round.pass)) deaths_.begin_pass();
  wait_for_any_worker();
  looked_ = clock::now();
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].pace.look(store_.slots()[i], false, looked_);
  round_open_ = true;
  const std::uint32_t opened = gate_.open();
  const auto wait_for_all = [&] {
    for (auto looked = clock::now(); gate_.any_absent(opened);) {
      const std::uint32_t arrivals = store_.control().arrivals.load();
      if (gate_.any_absent(opened)) gate_.wait_for_arrival(arrivals, look_around);
      if (clock::now() - looked < look_around / 2) continue;
      looked = clock::now();
      look_after_members();
      leave_out_stopped(opened);
    }
  };
  wait_for_all();
  gate_.close();
  wait_for_all();
  round_open_ = false;
  require_not_orphaned(store_.control());  // an orphaned round did not wait for anybody
}

// A worker that is gone may hold an item that the others wait for: they leave, and the round begins anew.
void worker_pool::break_off_turns() const {
  if (round_open_ && reproducible()) store_.control().board.break_off();
}

// Somebody has to be there to draw tickets; dead workers are being replaced, stopped ones may wake.
void worker_pool::wait_for_any_worker() {
  look_after_members();
  detail::wait_limit limit(join_timeout);
  for (auto asked = clock::now(); count(worker_state::active) == 0;) {
    std::this_thread::sleep_for(1ms);
    look_after_members();
    if (limit.passed()) {
      throw worker_error("no worker process has made progress for a minute: they are stopped, or do not get to join");
    }
    if (clock::now() - asked < stall_watch::timeout || count(worker_state::joining) > 0) continue;
    asked = clock::now();
    const auto slots = store_.slots();
    const auto free = std::ranges::find_if(slots, [](worker_slot& s) {
      std::int32_t nobody = 0;
      return s.pid.compare_exchange_strong(nobody, worker_slot::reserved);
    });
    if (free == slots.end()) throw worker_error("all workers are stopped and there is no slot for another one");
    tell("all workers are stopped; another one is started");
    spawn_into(static_cast<std::size_t>(free - slots.begin()));
  }
}

std::size_t worker_pool::count(worker_state state) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(store_.slots(), [state](const worker_slot& s) { return s.state.load() == state; }));
}

std::uint64_t worker_pool::chunks_begun() const {
  std::uint64_t sum = 0;
  for (const worker_slot& s : store_.slots()) sum += s.beats.get();
  return sum;
}

void worker_pool::look_after_members() {
  require_not_orphaned(store_.control());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    member& m = members_[i];
    if (!m.child) {
      look_after_guest(i);
      continue;
    }
    if (!m.joined && store_.slots()[i].state.load() == worker_state::active) {
      m.joined = true;
      deaths_.worker_joined();
    }
    if (const auto said = store_.failures()[i].said(); said && said->code == exit_code::interrupted) on_cpu_limit(i);
    if (const auto status = m.child->poll_exit()) on_exit(i, *status);
  }
}

// A guest claims a slot by its pid, and identifies itself before it counts; it gives the slot back itself unless it
// dies. Another guest may have taken the slot between two looks.
void worker_pool::look_after_guest(std::size_t slot) {
  const worker_slot& s = store_.slots()[slot];
  member& m = members_[slot];
  const std::int32_t pid = s.pid.load();
  const worker_state state = s.state.load();
  const bool counts = state == worker_state::active || state == worker_state::left_out;
  const std::uint64_t start_time = s.start_time.load();
  if (s.pid.load() != pid) return;  // the fields were read from two different guests
  const auto is_here = [&](const process_identity& who) {
    return who.pid == pid && (!counts || process_identity::same_start(who.start_time, start_time));
  };
  if (m.guest && !is_here(m.guest->who())) m = member{};
  if (pid <= 0) return;
  if (!m.guest && counts) {
    const auto who = process_identity::of(pid);
    if (who && is_here(*who)) m.guest.emplace(*who);
    if (who && !is_here(*who)) return reap(slot, "has gone", 0);
  }
  if (m.guest && !m.joined) {
    m.joined = true;
    tell("process " + std::to_string(pid) + " has joined as a worker");
  }
  if (m.guest ? m.guest->ended() : no_process_has(pid)) reap(slot, "has gone", 0);
}

// Each process has a limit of its own, and this one has used hardly any CPU time. A replacement would run for as long
// again, which would defeat the limit.
void worker_pool::on_cpu_limit(std::size_t slot) {
  store_.failures()[slot].clear();
  tell(named(slot) + " has used up its CPU time");
  if (takes_signal(SIGXCPU)) return void(::kill(::getpid(), SIGXCPU));
  throw resource_error(named(slot) +
                       " has used up its CPU time; raise the limit (ulimit -t), or go on from the last "
                       "checkpoint where there is one");
}

void worker_pool::on_exit(std::size_t slot, const exit_status& status) {
  const worker_slot& s = store_.slots()[slot];
  // It may have come and gone between two looks; then its pid remains.
  const bool joined = members_[slot].joined || s.pid.load() == members_[slot].child->pid();
  if (joined && in_lockstep()) throw_lost_rank(store_, workers_, slot, members_[slot].child->pid(), status);
  const auto said = status.signal == 0 ? store_.failures()[slot].said() : std::nullopt;
  if (status.signal == 0 && status.code == static_cast<int>(exit_code::input)) {
    if (!said || said->is_cache_error) throw cache_error("", "a worker process found the dataset's cache damaged");
    throw input_error(named(slot) + " has failed: " + said->text);  // another worker would read the same
  }
  const worker_death death{.who = named(slot),
                           .status = status,
                           .joined = joined,
                           .drove_device = slot < drivers_,
                           .held = s.held.get(),
                           .said = said,
                           .epoch = store_.control().round.epoch,
                           .chunks_begun = chunks_begun()};
  reap(slot, status.describe() + (said ? ": " + said->text : ""), worker_slot::reserved);
  deaths_.add(death);
  spawn_into(slot);
  ++replaced_;
}

// Changes that the dead worker had added to the parameters stay; its unfinished chunk is drawn again. The raised
// generation tells workers that wait for a lock of the dead one to take it over.
void worker_pool::reap(std::size_t slot, const std::string& how, std::int32_t next_pid) {
  worker_slot& s = store_.slots()[slot];
  tell(named(slot) + " " + how + (members_[slot].child ? "; another one takes its place" : ""));
  ++s.generation;
  s.held.set(0);
  // For workers that were left out this was counted then.
  if (s.state.exchange(worker_state::free) != worker_state::left_out) rows_lost_ += s.unsent.get();
  s.unsent.set(0);
  break_off_turns();
  s.pid = next_pid;  // written last: from now on others may claim the slot
  members_[slot] = member{};
}

std::string worker_pool::named(std::size_t slot) const {
  const auto& child = members_[slot].child;
  const pid_t pid = child ? child->pid() : store_.slots()[slot].pid.load();
  return "worker " + std::to_string(slot) + " (process " + std::to_string(pid) + ")";
}

void worker_pool::leave_out_stopped(std::uint32_t opened) {
  if (in_lockstep()) return;  // ranks in lockstep watch each other, and none goes on without the others
  const auto now = clock::now();
  // If this process was itself stopped (with its whole group, say), it cannot tell how long the others made no
  // progress.
  const bool was_away = now - std::exchange(looked_, now) > stall_watch::timeout / 2;
  std::optional<std::size_t> slowest;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const worker_slot& slot = store_.slots()[i];
    stall_watch& pace = members_[i].pace;
    pace.look(slot, !was_away && gate_controller::absent(slot, opened), now);
    const bool stalled = pace.stalled(slot, now);
    if (pace.waits_long(now)) {
      tell(named(i) + " has waited for a disk or a page of memory for " +
           std::to_string(stall_watch::disk_timeout.count()) + " seconds; the others wait for it");
    }
    if (stalled && (!slowest || pace.moved() < members_[*slowest].pace.moved())) slowest = i;
  }
  if (!slowest) return;
  // Leaves out one at a time: the others may be waiting for a stripe that this one holds, and go on once it does not
  // count.
  worker_slot& slot = store_.slots()[*slowest];
  for (member& m : members_) m.pace.grant(4 * look_around, now);
  if (slot.leave_out()) {
    rows_lost_ += slot.unsent.get();  // it drops them when it wakes
    break_off_turns();
    tell(named(*slowest) + " has made no progress for a second; the others go on without it");
  }
}

// On waking it would neither finish a row nor send gains.
bool worker_pool::is_idle(const worker_slot& slot) const {
  return slot.held.get() == 0 && slot.unsent.get() == 0 && !reproducible();
}

void worker_pool::end_stopped() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    worker_slot& slot = store_.slots()[i];
    member& m = members_[i];
    if (slot.state.load() != worker_state::left_out || is_idle(slot)) continue;
    if (m.child) {
      m.child->kill(SIGKILL);
      m.child->wait_for(join_timeout);
    } else if (m.guest) {
      // A guest of another user cannot be killed, and waiting for its end would help nobody.
      if (m.guest->kill(SIGKILL)) m.guest->wait_for(join_timeout);
    }
  }
  look_after_members();
}

}  // namespace hogwild
