// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/cut_kernels.hpp>

#include "kernels/scalar_values.hpp"

namespace hogwild::detail {
namespace {

// A failed comparison gives the bound, so that a zero has no sign, as in vector code.
inline float cut_part(float x) {
  x = x > 0.0f ? x : 0.0f;
  return x < 1.0f ? x : 1.0f;
}
inline float cut_part_at(const float* at) {
  return cut_part(0.5f * (at[0] - at[1]) + 0.5f);
}

/// Processes one edge after the other; each lane of a measurement separately.
struct cut_loops {
  static void train(const cut_points& to, const cut_edges& edges, std::size_t first, std::size_t last) {
    for (std::size_t e = edges.groups[first]; e < edges.groups[last]; ++e) {
      float* const u = to.at + std::size_t{2} * edges.u[e];
      const bool terminal = edges.v[e] >= to.nodes;
      float* const v = terminal ? nullptr : to.at + std::size_t{2} * edges.v[e];
      const float at_u = cut_part_at(u), at_v = terminal ? (edges.v[e] == to.nodes ? 1.0f : 0.0f) : cut_part_at(v);
      const float c = to.step * (at_u > at_v ? edges.forth[e] : edges.back[e]);
      const float moved = at_u > at_v ? c : at_u < at_v ? -c : 0.0f;
      store(u, cut_part(at_u - moved));
      if (!terminal) store(v, cut_part(at_v + moved));
    }
  }

  static void parts(const float* at, std::size_t count, float* part) {
    for (std::size_t i = 0; i < count; ++i) part[i] = cut_part_at(at + 2 * i);
  }

  template <class Value>
  static cut_sums measure(const float* part, const std::uint32_t* ends, const Value* capacity, std::size_t count) {
    std::array<double, cut_lanes> apart{}, cut{};
    std::size_t i = 0;
    for (; i + cut_lanes <= count; i += cut_lanes)
      for (std::size_t lane = 0; lane < cut_lanes; ++lane)
        add(part, ends + 2 * (i + lane), capacity + 2 * (i + lane), apart[lane], cut[lane]);
    for (std::size_t lane = 0; i + lane < count; ++lane)
      add(part, ends + 2 * (i + lane), capacity + 2 * (i + lane), apart[lane], cut[lane]);
    return total(apart.data(), cut.data());
  }

  /// Adds up the lanes in a fixed order, whoever has filled them.
  static cut_sums total(const double* apart, const double* cut) {
    cut_sums sums;
    for (std::size_t lane = 0; lane < cut_lanes; ++lane) sums.apart += apart[lane], sums.cut += cut[lane];
    return sums;
  }

  template <class Value>
  static void add(const float* part, const std::uint32_t* ends, const Value* capacity, double& apart, double& cut) {
    const float u = part[ends[0]], v = part[ends[1]];
    const float c = scalar_values::load_one(u > v ? capacity : capacity + 1);
    apart += static_cast<double>(c * std::abs(u - v));
    cut += (u >= 0.5f) == (v >= 0.5f) ? 0.0 : static_cast<double>(c);
  }

  static constexpr cut_kernels table{train, parts, measure<float>, measure<half>};

 private:
  static void store(float* at, float part) {
    at[0] = part;
    at[1] = 1.0f - part;
  }
};

}  // namespace
}  // namespace hogwild::detail
