// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/control/epoch_gate.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/failure.hpp>
#include <hogwild/detail/platform/process_identity.hpp>
#include <hogwild/detail/platform/process_watch.hpp>
#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/detail/platform/topology.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/task/lane_task.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/task/worker_decorators.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/segments.hpp>
#include <hogwild/worker_main.hpp>

#include "engines/attached_store.hpp"
#include "engines/ring_places.hpp"

namespace hogwild {

namespace {

using namespace std::chrono_literals;

segment_info find_segment(const std::string& name) {
  for (const segment_info& s : list_segments()) {
    if (s.name != name) continue;
    if (s.owner_alive) return s;
    throw segment_error::missing("the run of segment " + name + " is over: its supervisor, process " +
                                 std::to_string(s.owner.pid) +
                                 ", has died; `hogwild segments --purge` removes what it left");
  }
  throw segment_error::missing("there is no segment " + name +
                               " that this user may read: its run may have ended; "
                               "`hogwild segments` lists what stands");
}

/// Takes the slot that is reserved for this process, or any free one, and leaves it at the end.
class slot_lease {
 public:
  slot_lease(const param_store& store, std::optional<std::size_t> wanted)
      : store_(store), spawned_(wanted.has_value()), slot_(wanted ? claim_reserved(store, *wanted) : claim_any(store)) {
    worker_slot& me = self();
    me.start_time = process_identity::current().start_time;
    me.thread = ::gettid();
    me.held.set(0);
    me.arrived = 0;
    me.state = worker_state::active;
  }
  ~slot_lease() {
    if (!ours()) return;
    self().state = worker_state::free;
    // The supervisor reaps the workers that it spawned; until then nobody else gets the slot.
    if (!spawned_) self().pid = 0;
  }
  slot_lease(const slot_lease&) = delete;
  slot_lease& operator=(const slot_lease&) = delete;

  std::size_t slot() const { return slot_; }
  worker_slot& self() const { return store_.slots()[slot_]; }
  /// False once the supervisor has given the slot to another process, because it takes this one for dead.
  bool ours() const { return self().pid.load() == getpid(); }

 private:
  static std::size_t claim_reserved(const param_store& store, std::size_t wanted) {
    if (wanted >= store.slots().size() || !store.slots()[wanted].claim(worker_slot::reserved, getpid())) {
      throw segment_error("slot " + std::to_string(wanted) + " was not reserved for a worker");
    }
    return wanted;
  }
  static std::size_t claim_any(const param_store& store) {
    for (std::size_t i = store.slots().size(); i-- > 0;) {
      worker_slot& slot = store.slots()[i];
      if (!slot.claim(0, getpid())) continue;
      ++slot.generation;
      slot.state = worker_state::joining;
      return i;
    }
    throw segment_error("segment " + store.name() + " has no slot left for another worker; wait until one leaves");
  }

  const param_store& store_;
  bool spawned_;
  std::size_t slot_;
};

/// Reports a failure to the supervisor, in a slot that is this process's or reserved for it. `interrupted` is not a
/// failure: it asks for the run's end, and the worker goes on meanwhile.
void report_failure(const param_store& store, std::size_t slot, const failure& what) {
  static std::mutex one_by_one;
  const std::scoped_lock lock(one_by_one);
  if (slot >= store.slots().size()) return;
  const std::int32_t pid = store.slots()[slot].pid.load();
  if (pid == getpid() || pid == worker_slot::reserved) store.failures()[slot].tell(what);
}

/// Watches whether the supervisor lives, and ends the round for everybody when it does not. Its pid may mean nothing in
/// this process, or there may be no descriptor to watch it by; then its lock on the segment says whether it lives. Also
/// reports to the supervisor when this worker has met its limit of CPU time.
class supervisor_watch {
 public:
  supervisor_watch(const param_store& store, const process_identity& owner, std::size_t slot)
      : thread_(start_thread([&store, owner, slot](const std::stop_token& stop) {
          store.slots()[slot].watch = ::gettid();
          const process_watch watch(owner);
          for (bool told = false; !stop.stop_requested();) {
            if (!told && has_met_cpu_limit())
              told = true, report_failure(store, slot, {.code = exit_code::interrupted});
            if (!has_ended(store, watch)) continue;
            if (!store.control().leaving()) end_round(store);  // else it left in order, before this process
            return;
          }
        })) {}

 private:
  /// Waits a moment for its end.
  static bool has_ended(const param_store& store, const process_watch& watch) {
    constexpr auto moment = 10ms;
    if (watch.certain()) return watch.wait_for(moment);
    std::this_thread::sleep_for(moment);
    return !store.creator_lives();
  }

  /// A blocked signal stays pending.
  static bool has_met_cpu_limit() {
    sigset_t waiting;
    return ::sigpending(&waiting) == 0 && ::sigismember(&waiting, SIGXCPU) == 1;
  }

  static void end_round(const param_store& store) {
    store.control().stop = stop_request::orphaned;
    // Nobody is left to report deaths: from now on no owner of a stripe counts, so that nobody waits for a dead one's.
    for (worker_slot& slot : store.slots()) slot.state = worker_state::left_out;
    store.control().board.break_off();
    futex_wake_all(store.control().gate);
  }

  std::jthread thread_;
};

std::vector<int> cpus_of_worker(const run_setup& setup, std::size_t slot) {
  if (setup.pin != 0 && setup.options.exchange.replicas > 1) {
    const ring_placement places = detail::places_of(setup.options, setup.cpus);
    const std::span<const int> near_its_replica = places.cpus_of(slot);
    return {near_its_replica.begin(), near_its_replica.end()};
  }
  if (setup.pin == 0 || setup.workers > setup.cpus.size() || slot >= setup.workers) return setup.cpus;
  return {worker_cpus(setup.workers, setup.cpus)[slot]};
}

void train_rounds(const worker_side& task, const loop_plan& plan, const param_store& store, const slot_lease& place) {
  control_block& control = store.control();
  gate_visitor visitor(control, place.self());
  worker_memory memory;
  std::uint32_t seen = 0;
  while (!control.leaving() && place.ours()) {
    const std::uint32_t gate = visitor.next(seen, 100ms);
    if (gate == seen) continue;
    if (gate_open(gate)) {
      task.work({plan, store, place.slot(), memory, nullptr});
      if (!place.self().counts()) continue;  // left out on the way: joins once more
    }
    visitor.arrive(gate);
    seen = gate;
  }
}

/// Ctrl-C, a hangup of the terminal, and signals of timeout(1), a service manager or a batch system reach the whole
/// group; the supervisor decides when the run ends. Workers report to it that their own CPU time is up. Guests may be
/// interrupted by hand.
void leave_signals_to_supervisor() {
  for (const int signal : {SIGINT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM}) std::signal(signal, SIG_IGN);
  sigset_t time_is_up;
  sigemptyset(&time_is_up);
  sigaddset(&time_is_up, SIGXCPU);
  ::pthread_sigmask(SIG_BLOCK, &time_is_up, nullptr);
}

/// Trains in the given slot, or in any, until the run is over.
int train_for(const worker_ticket& place, const segment_info& info, const param_store& store,
              const std::function<task_factory(std::string_view)>& find) {
  const task_factory make = find(info.model_name);
  if (!make) {
    throw segment_error("segment " + place.segment + " trains the model " + info.model_name +
                        ", which this program does not have");
  }
  // The supervisor watches its workers by their pids.
  if (!place.slot && !info.owner.alive()) {
    throw segment_error("the supervisor of segment " + place.segment + ", process " + std::to_string(info.owner.pid) +
                        ", cannot be seen from here: join from the container (the PID namespace) that it runs in");
  }
  const run_setup setup = run_setup::decode(store.setup());
  const sparse_dataset data = sparse_dataset::map(setup.data_path);
  if (setup.first_row > data.rows() || setup.rows > data.rows() - setup.first_row) {
    throw cache_error(setup.data_path, setup.data_path + " has fewer rows than the run that it belongs to");
  }
  sparse_view rows = data.view().slice(setup.first_row, setup.first_row + setup.rows);
  if (!setup.degree.empty()) rows.degree = setup.degree;
  rows.weight = setup.weight, rows.offset = setup.offset, rows.id = setup.id;
  if (in_lockstep(setup.options.sharing) && !place.slot) {
    throw segment_error("segment " + place.segment +
                        " is of a synchronous run, whose number of ranks is fixed: no worker can join it");
  }
  // Sharing in lockstep uses a hook that only ranks have.
  if (in_lockstep(setup.options.sharing) != (setup.decorator == lockstep_workers)) {
    throw segment_error("the setup of segment " + place.segment +
                        " is damaged: ranks of a synchronous run share in lockstep, and no other workers do; start "
                        "the run again");
  }
  std::vector<worker_decorator> decorators;
  if (setup.options.device_count > 0) decorators.push_back(worker_decorator_of(device_workers));
  if (!setup.decorator.empty()) decorators.push_back(worker_decorator_of(setup.decorator));
  auto whole = make(setup, rows, label_map(setup.labels, setup.label_values));
  if (setup.lanes > 0) whole = lanes_of_worker(std::move(whole), setup.lanes, setup.place, store);
  const loop_plan plan = whole->plan(setup.options);
  if (plan.chunks.count() > store.shape().chunks) {
    throw segment_error("this program cuts the rows of segment " + place.segment + " into " +
                        std::to_string(plan.chunks.count()) + " chunks, and the run into " +
                        std::to_string(store.shape().chunks) + ": join with the program that trains");
  }
  std::unique_ptr<training_task> task = std::move(whole);  // declared after the plan, which a decorator may refer to
  const slot_lease lease(store, place.slot);
  for (const worker_decorator decorate : decorators)
    task = decorate(std::move(task), {.store = store, .plan = plan, .slot = lease.slot(), .workers = setup.workers});
  try {
    const supervisor_watch watch(store, info.owner, lease.slot());
    // A guest keeps the binding that its user gave it.
    if (place.slot) bind_this_thread(cpus_of_worker(setup, lease.slot()));
    train_rounds(*task, plan, store, lease);
  } catch (...) {
    // Reported before the rank's task is destroyed: the others learn from its destruction that it has left.
    if (place.slot) report_failure(store, *place.slot, current_failure());
    throw;
  }
  if (!place.slot && !lease.ours() && !store.control().leaving()) {
    throw worker_error("the run of segment " + place.segment +
                       " considers this worker dead and goes on without it; join again");
  }
  const bool orphaned = store.control().stop.load() == stop_request::orphaned;
  return static_cast<int>(orphaned ? exit_code::internal : exit_code::done);
}

}  // namespace

std::optional<worker_ticket> worker_place(int argc, const char* const* argv) {
  for (int i = 1; i + 2 < argc; ++i) {
    if (std::string_view(argv[i]) != worker_marker) continue;
    const std::string_view number = argv[i + 2];
    std::size_t slot = 0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), slot);
    if (fault != std::errc{} || end != number.data() + number.size()) return std::nullopt;
    return worker_ticket{argv[i + 1], slot};
  }
  return std::nullopt;
}

std::optional<int> work_where_placed(int argc, const char* const* argv,
                                     const std::function<task_factory(std::string_view)>& find) {
  const auto place = worker_place(argc, argv);
  if (!place) return std::nullopt;
  try {
    return work_for_segment(*place, find);
  } catch (const segment_error&) {
    // Even if the store is gone: the supervisor takes exit_code::input for a fault in the rows.
    return static_cast<int>(exit_code::resources);
  } catch (...) {
    return static_cast<int>(current_failure().code);
  }
}

int work_for_segment(const worker_ticket& place, const std::function<task_factory(std::string_view)>& find) {
  if (place.slot) leave_signals_to_supervisor();
  const segment_info info = find_segment(place.segment);
  const param_store store = detail::attached_store::open(place.segment, info.model_name);
  // A spawned worker has no other way to report what it throws.
  try {
    return train_for(place, info, store, find);
  } catch (...) {
    if (place.slot) report_failure(store, *place.slot, current_failure());
    throw;
  }
}

}  // namespace hogwild
