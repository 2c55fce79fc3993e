// SPDX-License-Identifier: Apache-2.0
#pragma once

// The including file defines Eigen as a name of its own, so that the linker does not use its instances of Eigen's
// inline functions, compiled for its instruction set, in other files.
#ifndef Eigen
#error "define Eigen as a name of this instruction set's own before this file"
#endif
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_DEBUG
#define EIGEN_NO_IO

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

#include "kernels/instruction_sets.hpp"

namespace hogwild::detail {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t lane_width = 16;
#elif defined(__AVX__)
constexpr std::size_t lane_width = 8;
#else
constexpr std::size_t lane_width = 4;
#endif
constexpr std::size_t lane_steps = layer_lanes / lane_width;

/// A register of lanes; layer_lanes lanes take lane_steps registers.
using lane_vector = Eigen::Array<float, static_cast<int>(lane_width), 1>;
using word_vector = Eigen::Array<std::uint64_t, static_cast<int>(lane_width), 1>;

inline Eigen::Map<const lane_vector, Eigen::AlignedMax> lanes_at(const float* p) {
  return Eigen::Map<const lane_vector, Eigen::AlignedMax>(p);
}
inline Eigen::Map<lane_vector, Eigen::AlignedMax> lanes_at(float* p) {
  return Eigen::Map<lane_vector, Eigen::AlignedMax>(p);
}

}  // namespace
}  // namespace hogwild::detail
