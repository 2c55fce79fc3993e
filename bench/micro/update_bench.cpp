// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/param_view.hpp>

#include "sample.hpp"

// The reads and adds of which steps consist.

namespace {

using namespace hogwild;

constexpr std::size_t one_line = 16, in_cache = std::size_t{1} << 14, in_memory = std::size_t{1} << 26;

void dot_sparse(benchmark::State& state) {
  const sparse_view& rows = bench::sample_rows();
  const param_store store = bench::store_for(rows.columns);
  const auto w = param_view<float>(store.parameters<float>()).reader();
  row_cursor cursor(rows);
  std::int64_t nonzeros = 0;
  std::size_t r = 0;
  for (auto _ : state) {
    const auto z = cursor.row(r);
    benchmark::DoNotOptimize(dot(w, z));
    nonzeros += static_cast<std::int64_t>(z.size());
    r = r + 1 < rows.rows() ? r + 1 : 0;
  }
  state.SetItemsProcessed(nonzeros);
}
BENCHMARK(dot_sparse);

/// Shared by the threads of a benchmark.
const param_store& shared_store() {
  static const param_store store = bench::store_for(in_memory);
  return store;
}

template <class Update>
param_view<float, Update> view_of(const param_store& store, std::size_t slot) {
  if constexpr (Update::kind == update_kind::locked) {
    return param_view<float, Update>(store.parameters<float>(), {store.locks(slot)});
  } else {
    return param_view<float, Update>(store.parameters<float>());
  }
}

/// Adds to random coordinates among the first range(0): 16 are one line for which all threads contend, 2^14 fit into a
/// core's cache, 2^26 do not.
template <class Update>
void add(benchmark::State& state) {
  const auto w = view_of<Update>(shared_store(), static_cast<std::size_t>(state.thread_index()));
  const counter_random random(1, static_cast<std::uint64_t>(state.thread_index()));
  std::vector<std::uint32_t> where(1 << 20);
  for (std::size_t i = 0; i < where.size(); ++i) {
    where[i] = static_cast<std::uint32_t>(random.below(i, static_cast<std::uint64_t>(state.range(0))));
  }
  for (const std::uint32_t j : where) w.add(j, 1e-6f);  // the first touch of a page costs more than all adds in it
  for (auto _ : state) {
    for (const std::uint32_t j : where) w.add(j, 1e-6f);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(where.size()));
}
void on_every_place(benchmark::internal::Benchmark* b) {
  b->ArgName("among")->Arg(one_line)->Arg(in_cache)->Arg(in_memory)->ThreadRange(1, 2)->UseRealTime();
}
BENCHMARK(add<update::lossy>)->Apply(on_every_place);
BENCHMARK(add<update::exact>)->Apply(on_every_place);
BENCHMARK(add<update::locked>)->Apply(on_every_place);

/// Adds a block of range(0) bytes to parameters that others may write, 256 numbers at a time, like a layer's gradient.
template <class Update>
void add_block(benchmark::State& state) {
  const auto w = view_of<Update>(shared_store(), 0);
  const auto numbers = static_cast<std::size_t>(state.range(0)) / sizeof(float);
  const std::vector<float> gains(numbers, 1e-6f);
  constexpr std::size_t at_once = 256;
  for (auto _ : state) {
    for (std::size_t at = 0; at < numbers; at += at_once)
      w.add_block(at, std::span(gains).subspan(at, std::min(at_once, numbers - at)));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
void of_every_size(benchmark::internal::Benchmark* b) {
  b->ArgName("bytes")->RangeMultiplier(16)->Range(std::int64_t{4} << 10, std::int64_t{64} << 20)->UseRealTime();
}
BENCHMARK(add_block<update::lossy>)->Apply(of_every_size);
BENCHMARK(add_block<update::exact>)->Apply(of_every_size);

/// The limit of the memory: a copy reads one block and writes one, an add reads two and writes one.
void copy_block(benchmark::State& state) {
  const std::vector<std::byte> from(static_cast<std::size_t>(state.range(0)), std::byte{1});
  std::vector<std::byte> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(copy_block)->Apply(of_every_size);

}  // namespace
