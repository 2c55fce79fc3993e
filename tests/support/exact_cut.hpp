// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <cstddef>
#include <vector>

namespace hogwild::test {

/// Capacity from u to v and back.
struct capacity_edge {
  std::size_t u, v;
  long forth, back;
};

/// The least capacity that separates s from t, computed by Boost's maximal flow.
inline long exact_cut(std::size_t nodes, const std::vector<capacity_edge>& edges, std::size_t s, std::size_t t) {
  using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  struct arc {
    long capacity = 0, residual = 0;
    traits::edge_descriptor reverse{};
  };
  struct node {
    boost::default_color_type color{};
    traits::edge_descriptor predecessor{};
    long distance = 0;
  };
  using flow_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, node, arc>;
  flow_graph g(nodes);
  for (const capacity_edge& e : edges) {
    const auto forth = boost::add_edge(e.u, e.v, arc{.capacity = e.forth}, g).first;
    const auto back = boost::add_edge(e.v, e.u, arc{.capacity = e.back}, g).first;
    g[forth].reverse = back;
    g[back].reverse = forth;
  }
  return boost::boykov_kolmogorov_max_flow(g, boost::get(&arc::capacity, g), boost::get(&arc::residual, g),
                                           boost::get(&arc::reverse, g), boost::get(&node::predecessor, g),
                                           boost::get(&node::color, g), boost::get(&node::distance, g),
                                           boost::get(boost::vertex_index, g), s, t);
}

/// For a cut with several terminals: twice a lower bound of its capacity. The edges of each side to the others have at
/// least the capacity that isolates its terminal from all others, and every edge belongs to two sides.
inline long isolating_cuts(std::size_t nodes, const std::vector<capacity_edge>& edges,
                           const std::vector<std::size_t>& terminals) {
  long sum = 0;
  for (const std::size_t alone : terminals) {
    std::vector<capacity_edge> joined = edges;
    long all = 1;
    for (const capacity_edge& e : edges) all += e.forth + e.back;
    for (const std::size_t other : terminals)
      if (other != alone) joined.push_back({other, nodes, all, all});
    sum += exact_cut(nodes + 1, joined, alone, nodes);
  }
  return sum;
}

}  // namespace hogwild::test
