// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// The largest number of edges in a group.
inline constexpr std::size_t cut_lanes = 16;

/// Edges of a graph that is cut into two sides, in groups. No two edges of a group have a node in common, so no edge
/// reads what another one changes, and a group may be processed at once.
struct cut_edges {
  const std::uint32_t* u = nullptr;       ///< one end of each edge, a node
  const std::uint32_t* v = nullptr;       ///< the other end: a node, or a terminal as `nodes` + its side
  const float* forth = nullptr;           ///< capacities from u to v
  const float* back = nullptr;            ///< and from v to u
  const std::uint32_t* groups = nullptr;  ///< group g is edges [groups[g], groups[g + 1])
};

/// The nodes' points, and how far an edge moves its ends.
struct cut_points {
  float* at = nullptr;  ///< two floats a node; a point outside the simplex is read as the nearest one in it
  std::uint32_t nodes = 0;
  float step = 0;  ///< times a capacity: how much of each end changes sides
};

/// Sums over edges.
struct cut_sums {
  double apart = 0;  ///< capacities times the distance of their ends, from 0 to 1
  double cut = 0;    ///< capacities between different sides
};

/// The inner loops of a cut into two sides (models/graph_cut.hpp). All instruction sets give the same bits.
struct cut_kernels {
  /// Moves both ends of each edge of groups [first, last) towards each other. With c = `forth` if u is nearer to side
  /// 0, else `back`, a part of step * c of each end changes sides, or as much as there is. Terminals stay. Uses plain
  /// loads and stores of both floats of a node: either nobody else writes these nodes meanwhile, or lost updates are
  /// accepted (Hogwild!).
  void (*train)(const cut_points& to, const cut_edges& edges, std::size_t first, std::size_t last);
  /// The part, from 0 to 1, of each of `count` nodes that is on side 0.
  void (*parts)(const float* at, std::size_t count, float* part);
  /// Sums over `count` edges. `part` holds the part of edge i's ends 2 i and 2 i + 1 that is on side 0; `capacity` is
  /// the one from each of these ends to the other.
  cut_sums (*measure)(const float* part, const std::uint32_t* ends, const float* capacity, std::size_t count);
  /// The same with capacities in half precision.
  cut_sums (*measure_half)(const float* part, const std::uint32_t* ends, const half* capacity, std::size_t count);
};

/// The kernels of an instruction set that has_isa() knows; `set` is not automatic.
const cut_kernels& cut_kernels_of(isa set);

}  // namespace hogwild
