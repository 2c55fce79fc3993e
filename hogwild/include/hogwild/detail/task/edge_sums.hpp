// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/cut_kernels.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

class thread_team;

/// Where the nodes of a graph are that is cut into two sides.
struct two_sides {
  std::span<const float> at;             ///< two floats a node, of columns 0, 1, ...
  std::vector<std::uint32_t> terminals;  ///< sides of the columns behind those of nodes
  float unit = 1.0f;                     ///< what the loss counts capacities in
};

/// The mean loss of a graph's rows (formats/graphs.hpp), and with `all_measures` the cut, and of nodes whose side is
/// known which fraction is right. All of it is exact, in parallel, and the same for any number of threads. A request to
/// stop leaves a loss that is no number, and nothing else.
measurement measure_edges(const two_sides& sides, const cut_kernels& kernels, const sparse_view& rows,
                          thread_team& threads, bool all_measures, const std::stop_token& stop);

}  // namespace hogwild
