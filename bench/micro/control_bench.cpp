// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include <hogwild/detail/control/epoch_gate.hpp>
#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sampler.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/memory/segment.hpp>

#include "engines/attached_store.hpp"

// The work around the steps: order, tickets, labels, gates, memory.

namespace {

using namespace hogwild;
using namespace std::chrono_literals;

void feistel(benchmark::State& state) {
  const feistel_permutation order(static_cast<std::uint64_t>(state.range(0)), 1, 0);
  std::uint64_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(order(i));
    i = i + 1 < order.size() ? i + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
// Just below and just above a power of four: the shortest and the longest walks.
BENCHMARK(feistel)->ArgName("rows")->Arg(200'000)->Arg((1 << 18) - 1)->Arg((1 << 18) + 1);

void ticket_draw(benchmark::State& state) {
  static ticket_counter counter{};
  std::uint32_t round = 1;
  if (state.thread_index() == 0) counter.open(round, 0);
  for (auto _ : state) benchmark::DoNotOptimize(counter.draw(round, 0xffffffffu));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ticket_draw)->ThreadRange(1, 2)->UseRealTime();

void label_encode(benchmark::State& state) {
  std::vector<double> values(static_cast<std::size_t>(state.range(0)));
  std::iota(values.begin(), values.end(), 0.0);
  const label_map labels(values.size() == 2 ? label_kind::binary : label_kind::classes, values);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(labels.encode(values[i]));
    i = i + 1 < values.size() ? i + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(label_encode)->ArgName("values")->Arg(2)->Arg(20)->Arg(1000);

store_shape shape_of(const benchmark::State& state) {
  return {.parameters = static_cast<std::uint64_t>(state.range(0)), .workers = 4};
}

void store_in_memory(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(param_store::in_memory(shape_of(state)).parameters<float>().data());
}
BENCHMARK(store_in_memory)->ArgName("parameters")->Arg(47'236)->Arg(1 << 24)->Unit(benchmark::kMicrosecond);

void segment_create(benchmark::State& state) {
  for (auto _ : state) {
    const param_store store = param_store::create(unique_segment_name(), shape_of(state), "bench");
    benchmark::DoNotOptimize(store.parameters<float>().data());
  }
}
BENCHMARK(segment_create)->ArgName("parameters")->Arg(47'236)->Arg(1 << 24)->Unit(benchmark::kMicrosecond);

void segment_attach(benchmark::State& state) {
  const param_store owner = param_store::create(unique_segment_name(), shape_of(state), "bench");
  owner.open_for_workers();
  for (auto _ : state) {
    const param_store guest = detail::attached_store::open(owner.name(), "bench");
    benchmark::DoNotOptimize(guest.parameters<float>().data());
  }
}
BENCHMARK(segment_attach)->ArgName("parameters")->Arg(47'236)->Arg(1 << 24)->Unit(benchmark::kMicrosecond);

/// The coordinator opens the gate, one worker passes it and reports, the coordinator closes it: an empty round.
void gate_round_trip(benchmark::State& state) {
  const param_store store = param_store::in_memory({.workers = 1});
  store.open_for_workers();
  control_block& control = store.control();
  worker_slot& slot = store.slots()[0];
  slot.state = worker_state::active;
  {
    // Read before the thread runs: a worker that comes to an open gate would wait for the next round.
    std::jthread worker([&, seen = control.gate.load()]() mutable {
      gate_visitor visitor(control, slot);
      while (!control.stopping()) {
        const std::uint32_t now = visitor.next(seen, 10ms);
        if (now != seen && gate_open(now)) visitor.arrive(now);
        seen = now;
      }
    });
    gate_controller keeper(control, store.slots());
    for (auto _ : state) {
      const std::uint32_t opened = keeper.open();
      for (;;) {
        const std::uint32_t arrivals = control.arrivals;
        if (!keeper.any_absent(opened)) break;
        keeper.wait_for_arrival(arrivals, 10ms);
      }
      keeper.close();
    }
    control.stop = stop_request::leave;
  }
}
BENCHMARK(gate_round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
