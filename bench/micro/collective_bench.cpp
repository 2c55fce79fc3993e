// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include <hogwild/detail/collectives/segment.hpp>
#include <hogwild/detail/collectives/thread.hpp>
#include <hogwild/detail/memory/private_memory.hpp>

// The cost for two members to sum their arrays, compared with a copy of as many bytes by each of them at the same time.

namespace {

using namespace hogwild;

constexpr std::size_t members = 2;

std::unique_ptr<thread_group> group;
std::unique_ptr<private_memory> region;
constexpr segment_group_shape shape{.members = members};

/// The region begins on a page. The pages behind it are not part of it, so that the members' numbers lie outside, as
/// with processes.
std::span<std::byte> region_bytes() {
  return {region->base(), segment_group_layout(shape).total};
}

void make_groups(const benchmark::State&) {
  group = std::make_unique<thread_group>(members);
  region = std::make_unique<private_memory>(segment_group_layout(shape).total);
}

void sum_up(benchmark::State& state, collective& member) {
  std::vector<float> x(static_cast<std::size_t>(state.range(0)), 0.0f);
  member.barrier();
  for (auto _ : state) {
    member.all_reduce(x);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(float)));
}

void all_reduce_threads(benchmark::State& state) {
  const auto member = group->join(static_cast<std::size_t>(state.thread_index()));
  sum_up(state, *member);
}

void all_reduce_segment(benchmark::State& state) {
  const auto member = join_segment_group(region_bytes(), 0, shape, static_cast<std::size_t>(state.thread_index()));
  sum_up(state, *member);
}

void copy(benchmark::State& state) {
  const std::vector<float> from(static_cast<std::size_t>(state.range(0)), 1.0f);
  std::vector<float> to(from.size());
  for (auto _ : state) {
    std::copy(from.begin(), from.end(), to.begin());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(float)));
}

void sizes(benchmark::internal::Benchmark* b) {
  b->ArgName("floats")->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 20)->Threads(members)->UseRealTime();
}
BENCHMARK(copy)->Apply(sizes);
BENCHMARK(all_reduce_threads)->Setup(make_groups)->Apply(sizes);
BENCHMARK(all_reduce_segment)->Setup(make_groups)->Apply(sizes);

}  // namespace
