// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/edge_sums.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include <hogwild/detail/control/ticket_counter.hpp>
#include <hogwild/detail/data/chunk.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/task/vector_passes.hpp>
#include <hogwild/detail/teams/thread_team.hpp>

namespace hogwild {
namespace {

struct graph_sums {
  cut_sums edges{};
  std::size_t nodes = 0, right = 0;  ///< nodes of known side, and those that are right

  void operator+=(const graph_sums& other) {
    edges.apart += other.edges.apart;
    edges.cut += other.edges.cut;
    nodes += other.nodes;
    right += other.right;
  }
};

/// Sums over rows of a graph. Each thread has its own.
class graph_reader {
 public:
  graph_reader(const sparse_view& rows, const cut_kernels& kernels, std::span<const float> part)
      : rows_(rows), kernels_(kernels), part_(part), cursor_(rows) {}

  graph_sums sum(const chunk& rows) {
    graph_sums sums;
    for (std::size_t r = rows.first; r < rows.last;) {
      const std::size_t next_other = end_of_edges(r, rows.last);
      if (next_other > r) sums += edges(r, next_other);
      if (next_other < rows.last) sums += other(next_other);
      r = next_other + 1;
    }
    return sums;
  }

 private:
  /// The first row from r on that is not two sparse entries.
  std::size_t end_of_edges(std::size_t r, std::size_t last) const {
    while (r < last && !rows_.dense && rows_.row_start[r + 1] - rows_.row_start[r] == 2) ++r;
    return r;
  }

  /// Consecutive rows of two entries each.
  graph_sums edges(std::size_t first, std::size_t last) {
    const std::size_t begin = rows_.row_start[first], count = last - first;
    const std::uint32_t* ends = nullptr;
    if (rows_.has_narrow_index()) {
      const auto narrow = rows_.index16.subspan(begin, 2 * count);
      ends_.assign(narrow.begin(), narrow.end());
      ends = ends_.data();
    } else {
      ends = &rows_.index[begin];
    }
    if (rows_.has_narrow_value())
      return {.edges = kernels_.measure_half(part_.data(), ends, &rows_.value16[begin], count)};
    return {.edges = kernels_.measure(part_.data(), ends, &rows_.value[begin], count)};
  }

  /// Counts a node of known side; ignores edges with an end that the model does not know.
  graph_sums other(std::size_t r) {
    const sparse_row<float> z = cursor_.row(r);
    if (z.size() != 1 || z.label < 0.0f) return {};
    const float side = part_[z.index[0]] >= 0.5f ? 0.0f : 1.0f;
    return {.nodes = 1, .right = side == z.label ? std::size_t{1} : 0};
  }

  const sparse_view& rows_;
  const cut_kernels& kernels_;
  std::span<const float> part_;
  row_cursor cursor_;
  std::vector<std::uint32_t> ends_;
};

/// The fraction of each column's node or terminal that is on side 0.
std::vector<float> parts_of(const two_sides& sides, const cut_kernels& kernels, thread_team& threads) {
  const std::size_t nodes = sides.at.size() / 2;
  std::vector<float> part(nodes + sides.terminals.size());
  for_each_block(nodes, threads, [&](std::size_t first, std::size_t last, std::size_t) {
    kernels.parts(&sides.at[2 * first], last - first, &part[first]);
  });
  std::ranges::transform(sides.terminals, part.begin() + static_cast<std::ptrdiff_t>(nodes),
                         [](std::uint32_t side) { return side == 0 ? 1.0f : 0.0f; });
  return part;
}

}  // namespace

measurement measure_edges(const two_sides& sides, const cut_kernels& kernels, const sparse_view& rows,
                          thread_team& threads, bool all_measures, const std::stop_token& stop) {
  const std::vector<float> part = parts_of(sides, kernels, threads);
  const chunk_plan plan(rows.rows(), 4096);
  std::vector<graph_sums> sums(plan.count());
  ticket_counter next{};
  next.open(1, 0);
  threads.run([&](std::size_t) {
    std::optional<graph_reader> reader;
    while (const auto i = stop.stop_requested() ? std::nullopt : next.draw(1, plan.count())) {
      rows.ensure(plan[*i].first, plan[*i].last);
      if (!reader) reader.emplace(rows, kernels, part);
      sums[*i] = reader->sum(plan[*i]);
    }
  });
  if (stop.stop_requested()) return {.loss = std::numeric_limits<double>::quiet_NaN()};
  graph_sums total;
  for (const graph_sums& each : sums) total += each;
  measurement m{.loss = total.edges.apart / static_cast<double>(sides.unit) /
                        static_cast<double>(std::max<std::size_t>(rows.rows(), 1))};
  if (!all_measures) return m;
  m.cut = total.edges.cut;
  if (total.nodes > 0) m.accuracy = static_cast<double>(total.right) / static_cast<double>(total.nodes);
  return m;
}

}  // namespace hogwild
