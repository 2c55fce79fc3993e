// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// A group has at most so many edges.
inline constexpr std::size_t cut_lanes = 16;

/// Edges of a graph that is cut into two sides, in groups in which no two edges have a node in common: what one of them
/// changes no other one reads, so that all of a group may be taken at once.
struct cut_edges {
  const std::uint32_t* u = nullptr;       ///< one end of each edge, a node
  const std::uint32_t* v = nullptr;       ///< the other one: a node, or a terminal as `nodes` + its side
  const float* forth = nullptr;           ///< capacities from u to v
  const float* back = nullptr;            ///< and from v to u
  const std::uint32_t* groups = nullptr;  ///< group g is edges [groups[g], groups[g + 1])
};

/// Where nodes are, and how far an edge moves its ends.
struct cut_points {
  float* at = nullptr;  ///< two floats a node; what lies beside the simplex is read as its nearest point
  std::uint32_t nodes = 0;
  float step = 0;  ///< times a capacity: how much of each end changes sides
};

/// What edges come to.
struct cut_sums {
  double apart = 0;  ///< capacities times how far their ends are apart, from 0 to 1
  double cut = 0;    ///< capacities between different sides
};

/// The inner loops of a cut into two sides (models/graph_cut.hpp). They have the same bits on every instruction set.
struct cut_kernels {
  /// Moves both ends of each edge of groups [first, last) towards each other: of c = `forth` where u is nearer to side
  /// 0, else `back`, a part of step * c of each changes sides, as far as there is any. Terminals stay. Plain loads and
  /// stores of both floats of a node: nobody else writes these nodes meanwhile, or overtaken updates are what was asked
  /// for (Hogwild!).
  void (*train)(const cut_points& to, const cut_edges& edges, std::size_t first, std::size_t last);
  /// How much of each of `count` nodes is on side 0, from 0 to 1.
  void (*parts)(const float* at, std::size_t count, float* part);
  /// Adds up `count` edges: ends 2 i and 2 i + 1 are those of edge i, of which `part` says how much is on side 0, and
  /// `capacity` is from each of them to the other.
  cut_sums (*measure)(const float* part, const std::uint32_t* ends, const float* capacity, std::size_t count);
  /// The same of capacities in half precision.
  cut_sums (*measure_half)(const float* part, const std::uint32_t* ends, const half* capacity, std::size_t count);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const cut_kernels& cut_kernels_of(isa set);

}  // namespace hogwild
