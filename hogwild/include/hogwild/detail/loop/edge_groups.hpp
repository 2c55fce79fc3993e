// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/cut_kernels.hpp>

namespace hogwild {

/// The edges of a graph as kernels take them. They are in the order of the input's nodes, so that workers on different
/// parts of the list work on different nodes; the rows themselves have no such order. The list is cut as the rows are:
/// window k stands for the k-th run of `window` rows of a chunk. It holds an equal part of the edges, in groups of
/// edges without a common node.
struct edge_groups {
  static constexpr std::size_t window = 256;  ///< rows: enough to fill groups, few enough to stay in order

  std::vector<std::uint32_t> u, v;
  std::vector<float> forth, back;
  std::vector<std::uint32_t> groups;   ///< where each begins, and where the last one ends
  std::vector<std::uint32_t> windows;  ///< the first group of each window, and their number
  std::size_t rows_per_chunk = 0;

  cut_edges edges() const { return {u.data(), v.data(), forth.data(), back.data(), groups.data()}; }
  /// The window that row `r` is in.
  std::size_t window_of(std::size_t r) const {
    const std::size_t in_chunk = (rows_per_chunk + window - 1) / window;
    return r / rows_per_chunk * in_chunk + r % rows_per_chunk / window;
  }
};

/// Takes the rows that are edges (formats/graphs.hpp) with a node at one end at least; columns from `nodes` on are
/// terminals of these sides. Makes a pass over all rows. Chunks are of equal size. Every process that has the same rows
/// gets the same groups.
edge_groups edge_groups_of(const sparse_view& rows, std::size_t nodes, std::span<const std::uint32_t> terminals,
                           const chunk_plan& chunks);

}  // namespace hogwild
