// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/graphs.hpp>

namespace hogwild::detail {

/// A graph as read; nodes have the numbers of the file.
struct graph {
  struct edge {
    std::uint32_t u, v;
    double forth, back;  ///< capacities from u to v and from v to u
  };
  struct labelled_node {
    std::uint32_t node, side;
  };

  std::uint32_t first = 0, nodes = 0;  ///< the nodes are first, first + 1, ...
  bool labelled = false;               ///< a labelled graph; otherwise one with a source and a sink
  std::vector<edge> edges{};
  std::vector<labelled_node> sides{};  ///< by ascending node, each node once
};

/// Reads a whole text. Throws format_error with `name` as the file.
graph read_graph(std::string_view text, const std::string& name, graph_format format);

}  // namespace hogwild::detail
