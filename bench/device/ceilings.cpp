// SPDX-License-Identifier: Apache-2.0
#include "ceilings.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ceiling_kernels.hpp"

namespace hogwild::bench {
namespace {

using device::buffer;
using device::runtime;

template <class T>
void bring(runtime& device, const buffer<T>& to, const std::vector<T>& from) {
  device.upload(to.data(), from.data(), from.size() * sizeof(T));
  device.wait(device.mark());
}

template <class T>
std::vector<T> back(runtime& device, const buffer<T>& from, std::size_t n) {
  std::vector<T> to(n);
  device.download(to.data(), from.data(), n * sizeof(T));
  device.wait(device.mark());
  return to;
}

void require_done(bool done, const char* what) {
  if (!done) throw std::logic_error(std::string("the kernel that measures ") + what + " did something else");
}

double copied_bytes_a_second(runtime& device, std::size_t bytes, double least) {
  const std::size_t quads = std::max<std::size_t>(bytes / sizeof(quad), 1);
  std::vector<quad> original(quads);
  for (std::size_t i = 0; i < quads; ++i) {
    const auto number = static_cast<float>(i % 16'777'213);  // not a multiple of any width of work
    original[i] = {{number, number + 1, number + 2, number + 3}};
  }
  buffer<quad> from(device, quads), to(device, quads);
  bring(device, from, original);
  device.zero(to.data(), quads * sizeof(quad));
  const ceiling_work work{
      .from = from.data(), .to = to.data(), .count = quads, .rows_in_flight = most_warps(device.facts())};
  const double seconds = seconds_of(device, ceiling_launch(ceiling_kernel::copy, work), least);
  const std::vector<quad> copied = back(device, to, quads);
  require_done(std::ranges::equal(
                   copied, original, {}, [](const quad& q) { return std::to_array(q.value); },
                   [](const quad& q) { return std::to_array(q.value); }),
               "copying");
  return 2.0 * static_cast<double>(quads * sizeof(quad)) / seconds;
}

double adds_a_second(runtime& device, ceiling_kernel kernel, update_kind update, double least) {
  const std::size_t floats = kernel == ceiling_kernel::adds_to_one ? 1 : text_model_floats;
  // Few enough for a float to count, and on a device enough for its warps.
  const std::uint64_t adds = device.facts().emulated ? 1 << 16 : 1 << 22;
  buffer<float> weights(device, floats);
  const ceiling_work work{.weights = weights.data(),
                          .floats = floats,
                          .count = adds,
                          .update = update,
                          .rows_in_flight = most_warps(device.facts())};
  const device::kernel_launch launch = ceiling_launch(kernel, work);
  device.zero(weights.data(), floats * sizeof(float));
  device.run(launch);
  const std::vector<float> added = back(device, weights, floats);
  const double sum = std::accumulate(added.begin(), added.end(), 0.0);
  const auto all = static_cast<double>(adds);
  require_done(update == update_kind::exact ? sum == all : sum > 0.0 && sum <= all, "adds");
  return all / seconds_of(device, launch, least);
}

double seconds_of_a_row(runtime& device, double least) {
  constexpr std::uint32_t floats = 1 << 16, rows = 1 << 12, apart = 997;  // odd: all columns of a row differ
  std::vector<std::uint32_t> start, index;
  for (std::uint32_t r = 0; r < rows; ++r) {
    start.push_back(static_cast<std::uint32_t>(index.size()));
    for (std::uint32_t k = 0; k < latency_row_entries; ++k) index.push_back((r * 31 + k * apart) % floats);
  }
  buffer<std::uint32_t> device_start(device, start.size()), device_index(device, index.size());
  bring(device, device_start, start);
  bring(device, device_index, index);
  buffer<float> weights(device, floats);
  const ceiling_work work{.weights = weights.data(),
                          .floats = floats,
                          .start = device_start.data(),
                          .index = device_index.data(),
                          .entries = latency_row_entries,
                          .count = rows};
  const device::kernel_launch launch = ceiling_launch(ceiling_kernel::row_latency, work);
  device.zero(weights.data(), floats * sizeof(float));
  device.run(launch);
  const std::vector<float> added = back(device, weights, floats);
  require_done(std::accumulate(added.begin(), added.end(), 0.0) == static_cast<double>(index.size()), "rows");
  return seconds_of(device, launch, least) / rows;
}

}  // namespace

std::uint32_t most_warps(const device::device_facts& facts) {
  // 64 on a multiprocessor of most architectures; none has more.
  return facts.emulated ? 64u : static_cast<std::uint32_t>(std::max(facts.multiprocessors, 1)) * 64u;
}

double seconds_of(device::runtime& device, const device::kernel_launch& launch, double least) {
  using clock = std::chrono::steady_clock;
  const auto turn = [&](std::size_t launches) {
    const auto begin = clock::now();
    for (std::size_t k = 0; k < launches; ++k) device.run(launch);
    device.wait(device.mark());
    return std::chrono::duration<double>(clock::now() - begin).count();
  };
  turn(1);  // the first launch loads the kernel
  std::size_t launches = 1;
  while (turn(launches) < least) launches *= 2;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) best = std::min(best, turn(launches));
  return best / static_cast<double>(launches);
}

ceilings measure_ceilings(device::runtime& device, std::size_t bytes, double least) {
  const auto adds = [&](ceiling_kernel kernel, update_kind update) {
    return adds_a_second(device, kernel, update, least);
  };
  ceilings found;
  found.copied_bytes = copied_bytes_a_second(device, bytes, least);
  found.scattered_adds_lossy = adds(ceiling_kernel::scattered_adds, update_kind::lossy);
  found.scattered_adds_exact = adds(ceiling_kernel::scattered_adds, update_kind::exact);
  found.adds_to_one_lossy = adds(ceiling_kernel::adds_to_one, update_kind::lossy);
  found.adds_to_one_exact = adds(ceiling_kernel::adds_to_one, update_kind::exact);
  found.row_seconds = seconds_of_a_row(device, least);
  return found;
}

}  // namespace hogwild::bench
