// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/layer/lanes.hpp"

// Sums of taps. A block of outputs x places, or of outputs x taps, is summed in as many registers as there are.

namespace hogwild::detail {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t places_at_once = 4, outputs_of_input = 10, taps_of_weights = 5;
#else
constexpr std::size_t places_at_once = 1, outputs_of_input = lane_width == 8 ? 5 : 2, taps_of_weights = 2;
#endif
constexpr std::size_t outputs_at_once = 5;

/// Calls body<Most>(at) for whole blocks of n, and smaller blocks for the rest.
template <std::size_t Most, class Body>
inline void in_blocks(std::size_t n, const Body& body) {
  std::size_t at = 0;
  for (; at + Most <= n; at += Most) body.template operator()<Most>(at);
  if constexpr (Most > 1) {
    if (at < n)
      in_blocks<Most / 2>(n - at,
                          [&]<std::size_t Part>(std::size_t rest) { body.template operator()<Part>(at + rest); });
  }
}

template <std::size_t Outputs, std::size_t Places>
inline void sum_taps(const tap_shape& s, const float* w, const float* b, const float* x, float* y, std::size_t output,
                     std::size_t place) {
  lane_vector sum[Outputs][Places][lane_steps];
  for (std::size_t o = 0; o < Outputs; ++o)
    for (std::size_t p = 0; p < Places; ++p)
      for (std::size_t n = 0; n < lane_steps; ++n) sum[o][p][n] = lane_vector::Constant(b[output + o]);
  const float* from[Places];
  for (std::size_t p = 0; p < Places; ++p) from[p] = x + s.place[place + p] * layer_lanes;
  for (std::size_t k = 0; k < s.tap.size(); ++k) {
    const std::size_t tap = s.tap[k] * layer_lanes;
    const float* const weight = w + k * s.outputs + output;
    lane_vector value[Places][lane_steps];
    for (std::size_t p = 0; p < Places; ++p)
      for (std::size_t n = 0; n < lane_steps; ++n) value[p][n] = lanes_at(from[p] + tap + n * lane_width);
    for (std::size_t o = 0; o < Outputs; ++o)
      for (std::size_t p = 0; p < Places; ++p)
        for (std::size_t n = 0; n < lane_steps; ++n) sum[o][p][n] += weight[o] * value[p][n];
  }
  for (std::size_t o = 0; o < Outputs; ++o)
    for (std::size_t p = 0; p < Places; ++p)
      for (std::size_t n = 0; n < lane_steps; ++n)
        lanes_at(y + ((output + o) * s.place.size() + place + p) * layer_lanes + n * lane_width) = sum[o][p][n];
}

void taps(const tap_shape& s, const float* w, const float* b, const float* x, float* y) {
  in_blocks<places_at_once>(s.place.size(), [&]<std::size_t Places>(std::size_t place) {
    in_blocks<outputs_at_once>(s.outputs, [&]<std::size_t Outputs>(std::size_t output) {
      sum_taps<Outputs, Places>(s, w, b, x, y, output, place);
    });
  });
}

// One place after the other: windows overlap, and each place would wait for the store of the previous one.
template <std::size_t Outputs>
inline void add_to_taps(const tap_shape& s, const float* w, const float* dy, float* dx, std::size_t output,
                        std::size_t place) {
  lane_vector partial[Outputs][lane_steps];
  for (std::size_t o = 0; o < Outputs; ++o)
    for (std::size_t n = 0; n < lane_steps; ++n)
      partial[o][n] = lanes_at(dy + ((output + o) * s.place.size() + place) * layer_lanes + n * lane_width);
  float* const to = dx + s.place[place] * layer_lanes;
  for (std::size_t k = 0; k < s.tap.size(); ++k) {
    float* const at = to + s.tap[k] * layer_lanes;
    const float* const weight = w + k * s.outputs + output;
    lane_vector sum[lane_steps];
    for (std::size_t n = 0; n < lane_steps; ++n) sum[n] = lanes_at(at + n * lane_width);
    for (std::size_t o = 0; o < Outputs; ++o)
      for (std::size_t n = 0; n < lane_steps; ++n) sum[n] += weight[o] * partial[o][n];
    for (std::size_t n = 0; n < lane_steps; ++n) lanes_at(at + n * lane_width) = sum[n];
  }
}

void taps_input(const tap_shape& s, const float* w, const float* dy, float* dx) {
  for (std::size_t place = 0; place < s.place.size(); ++place)
    in_blocks<outputs_of_input>(
        s.outputs, [&]<std::size_t Outputs>(std::size_t output) { add_to_taps<Outputs>(s, w, dy, dx, output, place); });
}

template <std::size_t Outputs, std::size_t Taps>
inline void sum_places(const tap_shape& s, const float* x, const float* dy, float* dw, std::size_t output,
                       std::size_t tap) {
  lane_vector sum[Outputs][Taps];
  for (std::size_t o = 0; o < Outputs; ++o)
    for (std::size_t k = 0; k < Taps; ++k) sum[o][k] = lane_vector::Zero();
  const float* from[Taps];
  for (std::size_t k = 0; k < Taps; ++k) from[k] = x + s.tap[tap + k] * layer_lanes;
  const float* const partials = dy + output * s.place.size() * layer_lanes;
  for (std::size_t p = 0; p < s.place.size(); ++p) {
    const std::size_t place = s.place[p] * layer_lanes;
    for (std::size_t n = 0; n < lane_steps; ++n) {
      lane_vector partial[Outputs];
      for (std::size_t o = 0; o < Outputs; ++o)
        partial[o] = lanes_at(partials + (o * s.place.size() + p) * layer_lanes + n * lane_width);
      for (std::size_t k = 0; k < Taps; ++k) {
        const lane_vector value = lanes_at(from[k] + place + n * lane_width);
        for (std::size_t o = 0; o < Outputs; ++o) sum[o][k] += partial[o] * value;
      }
    }
  }
  for (std::size_t k = 0; k < Taps; ++k)
    for (std::size_t o = 0; o < Outputs; ++o) dw[(tap + k) * s.outputs + output + o] += sum[o][k].sum();
}

void taps_weights(const tap_shape& s, const float* x, const float* dy, float* dw, float* db) {
  in_blocks<taps_of_weights>(s.tap.size(), [&]<std::size_t Taps>(std::size_t tap) {
    in_blocks<outputs_at_once>(s.outputs, [&]<std::size_t Outputs>(std::size_t output) {
      sum_places<Outputs, Taps>(s, x, dy, dw, output, tap);
    });
  });
  const auto numbers = static_cast<Eigen::Index>(s.place.size() * layer_lanes);
  for (std::size_t o = 0; o < s.outputs; ++o)
    db[o] += Eigen::Map<const Eigen::ArrayXf, Eigen::AlignedMax>(dy + o * s.place.size() * layer_lanes, numbers).sum();
}

}  // namespace
}  // namespace hogwild::detail
