// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <charconv>
#include <chrono>
#include <thread>

#include <unistd.h>

#include <hogwild/core/control/epoch_gate.hpp>
#include <hogwild/core/process_identity.hpp>
#include <hogwild/core/process_watch.hpp>
#include <hogwild/core/segment.hpp>
#include <hogwild/core/sparse_dataset.hpp>
#include <hogwild/core/topology.hpp>
#include <hogwild/worker_main.hpp>

namespace hogwild {

namespace {

using namespace std::chrono_literals;

segment_info find_segment(const std::string& name) {
  for (const segment_info& s : list_segments()) {
    if (s.name == name) return s;
  }
  throw segment_error("there is no segment " + name + " that this user may read: its run may have ended; "
                      "`hogwild segments` lists what stands");
}

/// Takes the slot that was reserved for us, or any spare one, and gives it back at the end.
class slot_lease {
 public:
  slot_lease(const param_store& store, std::optional<std::size_t> wanted) : store_(store), slot_(find(store, wanted)) {
    worker_slot& me = store_.slots()[slot_];
    me.start_time = process_identity::current().start_time;
    me.pid = static_cast<std::int32_t>(getpid());
    me.held.set(0);
    me.arrived = 0;
    me.state = worker_state::active;
  }
  ~slot_lease() {
    worker_slot& me = store_.slots()[slot_];
    me.pid = 0;
    me.state = worker_state::free;
  }
  slot_lease(const slot_lease&) = delete;
  slot_lease& operator=(const slot_lease&) = delete;
  std::size_t slot() const { return slot_; }

 private:
  static std::size_t find(const param_store& store, std::optional<std::size_t> wanted) {
    if (wanted) {
      if (*wanted >= store.slots().size() || store.slots()[*wanted].state != worker_state::joining) {
        throw segment_error("slot " + std::to_string(*wanted) + " was not reserved for a worker");
      }
      return *wanted;
    }
    for (std::size_t i = store.slots().size(); i-- > 0;) {
      worker_slot& slot = store.slots()[i];
      auto expected = worker_state::free;
      if (slot.pid == 0 && slot.state.compare_exchange_strong(expected, worker_state::joining)) {
        ++slot.generation;
        return i;
      }
    }
    throw segment_error("segment " + store.name() + " has no slot left for another worker");
  }

  const param_store& store_;
  std::size_t slot_;
};

/// Tells the workers of a segment to leave when their supervisor is gone.
std::jthread watch_supervisor(const param_store& store, const process_identity& owner) {
  return std::jthread([&store, owner](const std::stop_token& stop) {
    const process_watch watch(owner);
    while (!stop.stop_requested()) {
      if (!watch.wait_for(10ms)) continue;
      store.control().stop = stop_request::leave;
      futex_wake_all(store.control().gate);
      return;
    }
  });
}

void train_rounds(const job& work, const param_store& store, std::size_t slot) {
  control_block& control = store.control();
  worker_slot& me = store.slots()[slot];
  gate_visitor visitor(control, me);
  std::uint32_t seen = 0;
  while (control.stop.load() != stop_request::leave) {
    // Left out while we slept: what we did meanwhile was done again by others, and from here we count again.
    auto left_out = worker_state::left_out;
    me.state.compare_exchange_strong(left_out, worker_state::active);
    const std::uint32_t gate = visitor.next(seen, 100ms);
    if (gate == seen) continue;
    if (gate_open(gate)) work.work(store, slot);
    visitor.arrive(gate);
    seen = gate;
  }
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

int work_for_segment(const worker_ticket& place, const std::function<job_factory(std::string_view)>& find) {
  // A Ctrl-C at the terminal reaches the whole group; the supervisor decides when the run ends.
  std::signal(SIGINT, SIG_IGN);
  const segment_info info = find_segment(place.segment);
  const job_factory make = find(info.model_name);
  if (!make) {
    throw segment_error("segment " + place.segment + " trains the model " + info.model_name +
                        ", which this program does not have");
  }
  const param_store store = param_store::attach(place.segment, info.model_name);
  const run_setup setup = run_setup::decode(store.setup());
  const sparse_dataset data = sparse_dataset::map(setup.data_path);
  if (setup.first_row + setup.rows > data.rows()) {
    throw cache_error(setup.data_path, setup.data_path + " has fewer rows than the run that it belongs to");
  }
  const auto work = make(setup, data.view().slice(setup.first_row, setup.first_row + setup.rows),
                         label_map(setup.labels, setup.label_values));
  const slot_lease lease(store, place.slot);
  if (const auto cpus = usable_cpu_list(); setup.pin != 0 && setup.workers <= cpus.size() && lease.slot() < setup.workers) {
    pin_this_thread(worker_cpus(setup.workers)[lease.slot()]);
  }
  const std::jthread watch = watch_supervisor(store, info.owner);
  train_rounds(*work, store, lease.slot());
  return static_cast<int>(exit_code::done);
}

}  // namespace hogwild
