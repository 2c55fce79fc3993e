// SPDX-License-Identifier: Apache-2.0
#include <hogwild/worker_pool.hpp>

#include <algorithm>
#include <utility>

#include <signal.h>

#include <hogwild/core/error.hpp>
#include <hogwild/core/process_identity.hpp>

namespace hogwild {

using namespace std::chrono_literals;

namespace {

constexpr auto look_around = 20ms;         // how soon a death is noticed at the latest
constexpr auto patience_with_stopped = 1s;  // before nobody waits for a worker that makes no progress
constexpr int most_failed_starts = 3;       // in a row
constexpr int most_taken_along = 3;         // by one chunk

}  // namespace

worker_pool::worker_pool(const param_store& store, const process_engine& engine, std::size_t workers, note_function note)
    : store_(store),
      engine_(engine),
      workers_(workers),
      note_(std::move(note)),
      gate_(store.control(), store.slots()),
      members_(store.slots().size()) {
  if (engine_.program.empty()) engine_.program = this_program();
}

worker_pool::~worker_pool() {
  store_.control().stop = stop_request::leave;
  futex_wake_all(store_.control().gate);
  const auto deadline = clock::now() + 2s;
  for (member& m : members_) {
    if (m.child) m.child->wait_for(std::max<clock::duration>(deadline - clock::now(), 0s));
    m.child.reset();  // kills who has not left by now
  }
}

void worker_pool::tell(const std::string& sentence) const {
  if (note_) note_(sentence);
}

void worker_pool::spawn_into(std::size_t slot) {
  worker_slot& s = store_.slots()[slot];
  ++s.generation;
  s.pid = 0;
  s.state = worker_state::joining;
  std::vector<std::string> arguments = engine_.arguments;
  arguments.insert(arguments.end(), {worker_marker, store_.name(), std::to_string(slot)});
  members_[slot] = member{};
  members_[slot].child = spawn(engine_.program, arguments);
}

void worker_pool::start() {
  for (std::size_t i = 0; i < workers_; ++i) spawn_into(i);
  const auto joined = [this](std::size_t i) { return store_.slots()[i].state.load() != worker_state::joining; };
  for (std::size_t i = 0; i < workers_;) {
    const std::uint32_t arrivals = store_.control().arrivals.load();
    look_after_members();
    if (joined(i)) ++i;
    else gate_.wait_for_arrival(arrivals, 1ms);
  }
}

void worker_pool::run_round() {
  if (store_.control().round.pass != std::exchange(pass_, store_.control().round.pass)) taken_along_.clear();
  wait_for_somebody();
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i].moved = clock::now();
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
}

// Somebody has to be there to draw tickets; who died is being replaced, who is stopped may wake.
void worker_pool::wait_for_somebody() {
  look_after_members();
  for (auto asked = clock::now(); !anybody_active();) {
    std::this_thread::sleep_for(1ms);
    look_after_members();
    if (clock::now() - asked < patience_with_stopped) continue;
    asked = clock::now();
    const auto free = std::ranges::find_if(store_.slots(), [](const worker_slot& s) {
      return s.state.load() == worker_state::free && s.pid.load() == 0;
    });
    if (free == store_.slots().end()) throw worker_error("all workers are stopped and there is no slot for another one");
    tell("no worker is running; another one is started");
    spawn_into(static_cast<std::size_t>(free - store_.slots().begin()));
  }
}

bool worker_pool::anybody_active() const {
  return std::ranges::any_of(store_.slots(),
                             [](const worker_slot& s) { return s.state.load() == worker_state::active; });
}

void worker_pool::look_after_members() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    member& m = members_[i];
    const worker_slot& slot = store_.slots()[i];
    const worker_state state = slot.state.load();
    if (m.child) {
      if (state == worker_state::active && !m.joined) {
        m.joined = true;
        failed_starts_ = 0;
      }
      if (const auto status = m.child->poll_exit()) on_exit(i, *status);
    } else if (state == worker_state::active || state == worker_state::left_out) {
      const auto who = process_identity::of(slot.pid.load());
      if (!m.guest && who && who->start_time == slot.start_time.load()) {
        m.guest.emplace(*who);
        tell("process " + std::to_string(slot.pid.load()) + " has joined as a worker");
      }
      if (!m.guest || m.guest->ended()) bury(i, "has gone");
    } else if (state == worker_state::free) {
      m.guest.reset();
    }
  }
}

void worker_pool::on_exit(std::size_t slot, const exit_status& status) {
  const bool joined = members_[slot].joined;
  if (status.code == static_cast<int>(exit_code::input) && status.signal == 0) {
    throw cache_error("", "a worker process found the dataset's cache damaged");
  }
  if (!joined && ++failed_starts_ >= most_failed_starts) {
    throw worker_error("worker processes end before they join (the last one " + status.describe() +
                       "): does main call hogwild::worker_main first, with this model's type?");
  }
  bury(slot, status.describe());
  if (store_.control().stop.load() == stop_request::leave) return;
  spawn_into(slot);
  ++replaced_;
}

// What the dead worker had added to the parameters stays; its unfinished chunk is drawn again. The raised generation
// tells who waits for a lock of the dead one that it may be taken over.
void worker_pool::bury(std::size_t slot, const std::string& how) {
  worker_slot& s = store_.slots()[slot];
  const std::uint64_t held = s.held.get();
  tell("worker " + std::to_string(slot) + " (process " + std::to_string(s.pid.load()) + ") " + how +
       (members_[slot].child ? "; another one takes its place" : ""));
  ++s.generation;
  s.held.set(0);
  s.pid = 0;
  s.state = worker_state::free;
  members_[slot] = member{};
  if (held != 0 && ++taken_along_[held] >= most_taken_along) {
    throw worker_error("ticket " + std::to_string(held - 1) + " of epoch " + std::to_string(store_.control().round.epoch) +
                       " has taken " + std::to_string(most_taken_along) +
                       " worker processes along: the model fails on one of its rows, or somebody kills workers");
  }
}

void worker_pool::leave_out_stopped(std::uint32_t opened) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    worker_slot& slot = store_.slots()[i];
    member& m = members_[i];
    if (!gate_keeper::absent(slot, opened) || slot.beats.get() != m.beats) {
      m.beats = slot.beats.get();
      m.moved = clock::now();
    } else if (clock::now() - m.moved > patience_with_stopped) {
      auto active = worker_state::active;
      if (slot.state.compare_exchange_strong(active, worker_state::left_out)) {
        tell("worker " + std::to_string(i) + " (process " + std::to_string(slot.pid.load()) +
             ") has made no progress for a second; the others go on without it");
      }
    }
  }
}

}  // namespace hogwild
