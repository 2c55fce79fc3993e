// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/alias_table.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {

/// How walks go: from a node to a neighbour in proportion to the weight of the edge, multiplied by 1 / p for the node
/// that the walk comes from, by 1 for neighbours of that node, and by 1 / q for all others (Grover and Leskovec,
/// node2vec: scalable feature learning for networks, KDD 2016).
struct walk_rule {
  std::size_t length = 40;  ///< nodes of a walk, at most: it ends at a node from which no edge leads
  float p = 1.0f, q = 1.0f;

  bool heeds_past() const { return p != 1.0f || q != 1.0f; }
};

/// A graph in which random walks are made. Never changed, so any number of threads may use it.
class node_graph {
 public:
  /// Of rows whose first entry is a node, with the weight of its edge to itself as the value, and whose other entries
  /// are the nodes to which its edges lead, with their weights. An entry of no positive weight is no edge.
  explicit node_graph(const sparse_view& rows);

  std::size_t nodes() const { return begin_.size() - 1; }
  /// The nodes to which an edge leads, ascending.
  std::span<const std::uint32_t> after(std::uint32_t node) const {
    return std::span(to_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }
  bool leads(std::uint32_t from, std::uint32_t to) const { return std::ranges::binary_search(after(from), to); }

  /// Replaces `path` by a walk that begins with `from`. It takes random numbers from 0 on.
  void walk(std::uint32_t from, const walk_rule& rule, const counter_random& random,
            std::vector<std::uint32_t>& path) const;

  /// Draws an edge in proportion to its weight: the nodes from which and to which it leads. There is one.
  std::pair<std::uint32_t, std::uint32_t> edge(std::uint64_t bits, std::uint64_t more_bits) const {
    const std::uint32_t from = draw_from(leaving_, bits);
    return {from, next(from, more_bits)};
  }
  /// Draws a node for contrast by 64 random bits: in proportion to (1 + s)^(3/4), where s is the weight of the edges
  /// that lead to it divided by the mean weight of all.
  std::uint32_t contrast(std::uint64_t bits) const { return draw_from(contrast_, bits); }

 private:
  /// A neighbour in proportion to the weights.
  std::uint32_t next(std::uint32_t here, std::uint64_t bits) const;
  /// The same with the factors of the rule; `drawn` counts the numbers that were taken.
  std::uint32_t next_after(std::uint32_t before, std::uint32_t here, const walk_rule& rule,
                           const counter_random& random, std::uint64_t& drawn) const;

  std::vector<std::size_t> begin_;     ///< where each node's edges begin, and the end of all
  std::vector<std::uint32_t> to_;      ///< by node, ascending
  std::vector<float> weight_;          ///< of each edge; empty: all are equal
  std::vector<alias_column> columns_;  ///< a table for the edges of each node; empty likewise
  std::vector<alias_column> leaving_;  ///< nodes by the weight of their edges
  std::vector<alias_column> contrast_;
};

/// Throws config_error for rows that are not those of all nodes, of which there are so many.
void require_whole_graph(const sparse_view& rows, std::size_t nodes, std::string_view source);

}  // namespace hogwild
