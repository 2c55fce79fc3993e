// SPDX-License-Identifier: Apache-2.0
#include "ring_merge.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild::detail {

namespace {

/// Array k of the shared parameters (0) and state (from 1 on).
template <parameter T>
std::span<T> array_of(const param_store& store, std::size_t k) {
  return k == 0 ? store.parameters<T>() : store.state<T>(k - 1);
}

std::vector<param_store> replicas_of(const param_store& store, const exchange_options& ring) {
  std::vector<param_store> all;
  for (std::size_t v = 0; v < ring.replicas; ++v) all.push_back(store.replica_view(v));
  return all;
}

/// Calls pass(first, last) for parts that cover 0 .. n-1, in parallel if that pays.
template <class Pass>
void in_parts(std::size_t n, thread_team& helpers, const Pass& pass) {
  constexpr std::size_t worth_waking_for = std::size_t{1} << 14;
  const std::size_t parts = std::clamp<std::size_t>(n / worth_waking_for, 1, helpers.size());
  if (parts == 1) return pass(0, n);
  const auto cut = [&](std::size_t i) { return i == parts ? n : n * i / parts / 16 * 16; };
  ticket_counter next{};
  next.open(1, 0);
  helpers.run([&](std::size_t) {
    while (const auto i = next.draw(1, parts)) pass(cut(*i), cut(*i + 1));
  });
}

template <class F>
void for_each_array(const param_store& store, const F& f) {
  for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
    store.shape().scalar_bytes == sizeof(float) ? f.template operator()<float>(k) : f.template operator()<double>(k);
  }
}

}  // namespace

void give_to_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers) {
  const std::vector<param_store> replicas = replicas_of(store, ring);
  for_each_array(store, [&]<parameter T>(std::size_t k) {
    const std::span<T> common = array_of<T>(store, k);
    in_parts(common.size(), helpers, [&](std::size_t first, std::size_t last) {
      const std::span<T> given = array_of<T>(replicas.front(), k).subspan(first, last - first);
      param_view<T>(common).load_block(first, given);
      for (std::size_t v = 0; v < ring.replicas; ++v) {
        const std::span<T> own = array_of<T>(replicas[v], k), base = replicas[v].beside<T>(k);
        if (v > 0) std::ranges::copy(given, own.begin() + static_cast<std::ptrdiff_t>(first));
        std::ranges::copy(given, base.begin() + static_cast<std::ptrdiff_t>(first));
      }
    });
  });
}

void merge_replicas(const param_store& store, const exchange_options& ring, thread_team& helpers) {
  const std::vector<param_store> replicas = replicas_of(store, ring);
  for_each_array(store, [&]<parameter T>(std::size_t k) {
    const std::span<T> common = array_of<T>(store, k);
    const param_view<T, update::exact> shared(common);
    const bool summed = k > 0 || ring.rule == ring_rule::deltas;
    const T gain_weight = summed ? T(1) : T(1) / static_cast<T>(ring.replicas);
    in_parts(common.size(), helpers, [&](std::size_t first, std::size_t last) {
      constexpr std::size_t block = 256;
      std::array<T, block> gain;
      for (std::size_t j = first; j < last; j += block) {
        const std::size_t n = std::min(block, last - j);
        gain.fill(T(0));
        for (std::size_t v = 0; v < ring.replicas; ++v) {
          const T* own = array_of<T>(replicas[v], k).data() + j;
          // Under the other rules the common model has not changed since the replicas were copied from it.
          const T* base = (summed ? replicas[v].beside<T>(k) : common).data() + j;
          for (std::size_t i = 0; i < n; ++i) gain[i] += own[i] - base[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
          if (gain[i] != T(0)) shared.add(j + i, gain_weight * gain[i]);
        }
      }
    });
  });
}

}  // namespace hogwild::detail
