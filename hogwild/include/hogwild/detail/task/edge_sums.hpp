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

/// The positions of a graph's nodes for a cut into two sides.
struct two_sides {
  std::span<const float> at;             ///< two floats for each node, of columns 0, 1, ...
  std::vector<std::uint32_t> terminals;  ///< sides of the columns that follow those of the nodes
  float unit = 1.0f;                     ///< unit in which the loss counts capacities
};

/// The mean loss of a graph's rows (formats/graphs.hpp), and with `all_measures` the cut, and the fraction of nodes of
/// known side that are on the right side. All values are exact, and the same for any number of threads. After a request
/// to stop the loss is not a number, and nothing else is measured.
measurement measure_edges(const two_sides& sides, const cut_kernels& kernels, const sparse_view& rows,
                          thread_team& threads, bool all_measures, const std::stop_token& stop);

}  // namespace hogwild
