// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "kernels/layer/lanes.hpp"

// Pointwise operations, all on vectors of lanes.

namespace hogwild::detail {
namespace {

constexpr std::size_t vector_step = lane_width;

/// The same register for comparisons and selections, which Eigen 3.4 does number by number.
using lane_register = float __attribute__((vector_size(lane_width * sizeof(float)), may_alias));

inline const lane_register& register_at(const float* p) {
  return *reinterpret_cast<const lane_register*>(p);
}
inline lane_register& register_at(float* p) {
  return *reinterpret_cast<lane_register*>(p);
}
constexpr lane_register no_lanes{};

/// A NaN stays NaN.
void relu(std::size_t n, float* y) {
  for (std::size_t i = 0; i < n; i += vector_step) {
    const lane_register value = register_at(y + i);
    register_at(y + i) = value < no_lanes ? no_lanes : value;
  }
}

void relu_input(std::size_t n, const float* y, float* dy) {
  for (std::size_t i = 0; i < n; i += vector_step)
    register_at(dy + i) = register_at(y + i) > no_lanes ? register_at(dy + i) : no_lanes;
}

inline lane_register larger(const lane_register& a, const lane_register& b) {
  return a > b ? a : b;
}

void max_pool(const pool_shape& s, const float* x, float* y) {
  const std::size_t row = s.width * layer_lanes;
  for (std::size_t plane = 0; plane < s.planes; ++plane) {
    const float* from = x + plane * s.height * row;
    for (std::size_t i = 0; i + 1 < s.height; i += 2, from += 2 * row) {
      for (std::size_t j = 0; j + 1 < s.width; j += 2, y += layer_lanes) {
        const float* const window = from + j * layer_lanes;
        for (std::size_t l = 0; l < layer_lanes; l += vector_step) {
          const float* const at = window + l;
          register_at(y + l) = larger(larger(register_at(at), register_at(at + layer_lanes)),
                                      larger(register_at(at + row), register_at(at + row + layer_lanes)));
        }
      }
    }
  }
}

/// Sets numbers that are in no window.
inline void clear(float* x, std::size_t n) {
  for (std::size_t l = 0; l < n; l += vector_step) register_at(x + l) = no_lanes;
}

void max_pool_input(const pool_shape& s, const float* x, const float* y, const float* dy, float* dx) {
  const std::size_t row = s.width * layer_lanes;
  const std::size_t within[4] = {0, layer_lanes, row, row + layer_lanes};
  for (std::size_t plane = 0; plane < s.planes; ++plane) {
    const std::size_t begin = plane * s.height * row;
    for (std::size_t i = 0; i + 1 < s.height; i += 2) {
      for (std::size_t j = 0; j + 1 < s.width; j += 2, y += layer_lanes, dy += layer_lanes) {
        const std::size_t window = begin + i * row + j * layer_lanes;
        for (std::size_t l = 0; l < layer_lanes; l += vector_step) {
          const lane_register largest = register_at(y + l);
          lane_register left = register_at(dy + l);
          for (const std::size_t place : within) {
            const std::size_t at = window + place + l;
            const lane_register taken = register_at(x + at) == largest ? left : no_lanes;
            left -= taken;
            register_at(dx + at) = taken;
          }
        }
      }
      if (s.width % 2 != 0) {
        clear(dx + begin + (i + 1) * row - layer_lanes, layer_lanes);
        clear(dx + begin + (i + 2) * row - layer_lanes, layer_lanes);
      }
    }
    if (s.height % 2 != 0) clear(dx + begin + (s.height - 1) * row, row);
  }
}

/// The finaliser of SplitMix64, for all lanes of a register; see random.hpp.
inline word_vector mixed(const word_vector& key) {
  word_vector x = key;
  for (const std::uint64_t factor : {0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}) {
    const int shift = factor == 0xbf58476d1ce4e5b9u ? 30 : 27;
    for (Eigen::Index l = 0; l < x.size(); ++l) x[l] = (x[l] ^ (x[l] >> shift)) * factor;
  }
  return x;
}

void dropout_mask(std::size_t rows, const std::uint64_t* key, std::size_t first, std::size_t values, float rate,
                  float* mask) {
  // Compares 31 bits, as signed numbers, which the narrower instruction sets can do too.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  const auto limit = static_cast<std::int32_t>(static_cast<double>(rate) * 0x1p31);
  const float kept = 1.0f / (1.0f - rate);
  for (std::size_t v = 0; v < values; ++v) {
    const std::uint64_t step = (first + v + 1) * golden;
    float* const to = mask + v * rows;
    for (std::size_t l = 0; l < rows; l += vector_step) {
      const word_vector bits = mixed(Eigen::Map<const word_vector>(key + l) + step);
      for (std::size_t i = 0; i < lane_width; ++i)
        to[l + i] = static_cast<std::int32_t>(bits[static_cast<Eigen::Index>(i)] >> 33) < limit ? 0.0f : kept;
    }
  }
}

void apply_mask(std::size_t rows, std::size_t values, std::size_t repeat, const float* mask, float* y) {
  for (std::size_t v = 0; v < values; ++v, mask += rows)
    for (std::size_t r = 0; r < repeat; ++r, y += rows)
      for (std::size_t l = 0; l < rows; l += vector_step) register_at(y + l) *= register_at(mask + l);
}

void log_softmax(std::size_t rows, std::size_t classes, const float* label, float* y, float* loss, float* best) {
  for (std::size_t l = 0; l < rows; l += vector_step) {
    lane_register top = register_at(y + l), which = no_lanes;
    for (std::size_t c = 1; c < classes; ++c) {
      const lane_register score = register_at(y + c * rows + l);
      which = score > top ? no_lanes + static_cast<float>(c) : which;
      top = larger(score, top);
    }
    register_at(best + l) = which;
    register_at(loss + l) = top;
    const lane_vector largest = lanes_at(loss + l);
    lane_vector sum = lane_vector::Zero();
    for (std::size_t c = 0; c < classes; ++c) sum += (lanes_at(y + c * rows + l) - largest).exp();
    lanes_at(loss + l) = largest + sum.log();
    const lane_register log_sum = register_at(loss + l), wanted = register_at(label + l);
    lane_register at_label = no_lanes;
    for (std::size_t c = 0; c < classes; ++c) {
      const lane_register log_probability = register_at(y + c * rows + l) - log_sum;
      register_at(y + c * rows + l) = log_probability;
      at_label = wanted == no_lanes + static_cast<float>(c) ? log_probability : at_label;
    }
    register_at(loss + l) = -at_label;
  }
}

void log_softmax_input(std::size_t rows, std::size_t classes, const float* label, const float* example_weight,
                       const float* y, float* dy) {
  for (std::size_t l = 0; l < rows; l += vector_step) {
    const lane_register wanted = register_at(label + l), weight = register_at(example_weight + l);
    for (std::size_t c = 0; c < classes; ++c) {
      float* const to = dy + c * rows + l;
      lanes_at(to) = lanes_at(y + c * rows + l).exp();
      const lane_register one = wanted == no_lanes + static_cast<float>(c) ? no_lanes + 1.0f : no_lanes;
      register_at(to) = (register_at(to) - one) * weight;
    }
  }
}

void fill_lane(std::size_t values, std::size_t stride, float value, float* x) {
  for (std::size_t v = 0; v < values; ++v) x[v * stride] = value;
}

}  // namespace
}  // namespace hogwild::detail
