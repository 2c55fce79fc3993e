// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwildpp/detail/delta_message.hpp>

// The cost of writing and reading a delta message of a model, in which `touched` in 10,000 coordinates changed, drawn
// by Zipf's law. Bytes are those of the whole array.

namespace {

using namespace hogwild;

constexpr std::size_t coordinates = std::size_t{1} << 22;

std::vector<float> touched(std::int64_t in_ten_thousand) {
  std::vector<float> delta(coordinates);
  const counter_random random(1, 2);
  const std::size_t wanted = coordinates / 10'000 * static_cast<std::size_t>(in_ten_thousand);
  const double log = std::log2(static_cast<double>(coordinates + 1));
  std::uint64_t counter = 0;
  for (std::size_t done = 0; done < wanted; ++counter) {
    const auto position = static_cast<std::size_t>(std::exp2(random.uniform(counter) * log)) - 1;
    done += delta[position] == 0;
    delta[position] += 1e-3f;
  }
  return delta;
}

void encode(const std::vector<float>& from, delta_values values, std::vector<float>& piece,
            std::vector<std::byte>& message) {
  delta_encoder<float> out(message, {.values = values, .coordinates = coordinates});
  for (std::size_t j = 0; j < coordinates; j += piece.size()) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(j), piece.size(), piece.begin());
    benchmark::DoNotOptimize(out.encode(j, piece));
  }
  out.finish();
}

void delta_encode(benchmark::State& state) {
  const std::vector<float> delta = touched(state.range(0));
  const auto values = static_cast<delta_values>(state.range(1));
  std::vector<float> piece(4096);
  std::vector<std::byte> message;
  for (auto _ : state) encode(delta, values, piece, message);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(coordinates * sizeof(float)));
  state.counters["message"] = static_cast<double>(message.size());
}

void delta_decode(benchmark::State& state) {
  const std::vector<float> delta = touched(state.range(0));
  std::vector<float> piece(4096), mirror(coordinates);
  std::vector<std::byte> message;
  encode(delta, static_cast<delta_values>(state.range(1)), piece, message);
  for (auto _ : state) {
    delta_decoder<float> in(message, coordinates);
    in.for_each([&](std::uint64_t j, float value) { mirror[j] += value; });
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(coordinates * sizeof(float)));
}

void fractions(benchmark::internal::Benchmark* b) {
  b->ArgNames({"touched", "halves"})->ArgsProduct({{0, 1, 100, 2000}, {0, 1}});
}
BENCHMARK(delta_encode)->Apply(fractions);
BENCHMARK(delta_decode)->Apply(fractions);

}  // namespace
