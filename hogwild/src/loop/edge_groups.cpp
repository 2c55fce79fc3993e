// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/edge_groups.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include <hogwild/detail/data/row_cursor.hpp>

namespace hogwild {
namespace {

/// Deals the edges of a window to groups: each edge to the first group that has room and neither of its nodes.
class window_groups {
 public:
  window_groups(edge_groups& to, std::size_t nodes) : to_(to), nodes_(nodes), in_groups_(nodes) {}

  void take(std::uint32_t u, std::uint32_t v, float forth, float back) {
    const std::uint64_t taken = full_ | in_groups_[u] | (v < nodes_ ? in_groups_[v] : 0);
    const auto group = static_cast<std::size_t>(std::countr_one(taken));
    edges_.push_back({u, v, forth, back, group});
    if (group == most) return;  // its node has very many edges: the edge gets a group of its own
    const std::uint64_t bit = std::uint64_t{1} << group;
    in_groups_[u] |= bit;
    if (v < nodes_) in_groups_[v] |= bit;
    if (++sizes_[group] == cut_lanes) full_ |= bit;
  }

  void close() {
    std::array<std::uint32_t, most> next{};
    auto end = static_cast<std::uint32_t>(to_.u.size());
    for (std::size_t g = 0; g < most && sizes_[g] > 0; ++g) {
      to_.groups.push_back(next[g] = end);
      end += sizes_[g];
    }
    for (const edge& e : edges_) {
      if (e.group == most) to_.groups.push_back(end);
      const std::uint32_t at = e.group == most ? end++ : next[e.group]++;
      if (at >= to_.u.size()) grow(std::max(end, at + 1));
      to_.u[at] = e.u, to_.v[at] = e.v, to_.forth[at] = e.forth, to_.back[at] = e.back;
      in_groups_[e.u] = 0;
      if (e.v < nodes_) in_groups_[e.v] = 0;
    }
    edges_.clear();
    sizes_ = {};
    full_ = 0;
  }

 private:
  static constexpr std::size_t most = 64;
  struct edge {
    std::uint32_t u, v;
    float forth, back;
    std::size_t group;
  };

  void grow(std::size_t size) { to_.u.resize(size), to_.v.resize(size), to_.forth.resize(size), to_.back.resize(size); }

  edge_groups& to_;
  std::size_t nodes_;
  std::vector<std::uint64_t> in_groups_;  ///< for each node, bit g: an edge of group g has it
  std::array<std::uint32_t, most> sizes_{};
  std::uint64_t full_ = 0;
  std::vector<edge> edges_;
};

struct plain_edge {
  std::uint32_t u, v;
  float forth, back;
};

/// The edges with a node as u, in the order of the rows.
std::vector<plain_edge> edges_of(const sparse_view& rows, std::size_t nodes, std::span<const std::uint32_t> terminals) {
  std::vector<plain_edge> edges;
  edges.reserve(rows.rows());
  row_cursor cursor(rows);
  rows.ensure(0, rows.rows());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const sparse_row<float> z = cursor.row(r);
    if (z.size() != 2) continue;
    std::size_t u = 0, v = 1;
    if (z.index[u] >= nodes) std::swap(u, v);
    if (z.index[u] >= nodes) continue;  // between two terminals
    const std::uint32_t far = z.index[v];
    edges.push_back({z.index[u], far < nodes ? far : static_cast<std::uint32_t>(nodes) + terminals[far - nodes],
                     z.value[u], z.value[v]});
  }
  return edges;
}

/// The place of each node among all nodes in the order of the input, whose numbering may have gaps.
std::vector<std::uint32_t> places_of(const sparse_view& rows, std::size_t nodes) {
  std::vector<std::uint32_t> place(nodes);
  std::iota(place.begin(), place.end(), 0u);
  if (rows.original.size() < nodes || nodes == 0) return place;
  const std::span<const std::uint32_t> number = rows.original.first(nodes);
  const std::size_t numbers = std::size_t{std::ranges::max(number)} + 1;
  if (numbers <= 16 * nodes) {
    std::vector<std::uint32_t> before(numbers + 1);
    for (const std::uint32_t n : number) before[n + 1] = 1;
    std::partial_sum(before.begin(), before.end(), before.begin());
    for (std::size_t k = 0; k < nodes; ++k) place[k] = before[number[k]];
  } else {
    std::vector<std::uint32_t> order = place;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return number[node]; });
    for (std::size_t k = 0; k < nodes; ++k) place[order[k]] = static_cast<std::uint32_t>(k);
  }
  return place;
}

/// The same edges, ordered by the place of their first node.
std::vector<plain_edge> by_place(const std::vector<plain_edge>& edges, const std::vector<std::uint32_t>& place) {
  const auto first_of = [&](const plain_edge& e) {
    return e.v < place.size() ? std::min(place[e.u], place[e.v]) : place[e.u];
  };
  std::vector<std::size_t> next(place.size() + 1);
  for (const plain_edge& e : edges) ++next[first_of(e) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<plain_edge> sorted(edges.size());
  for (const plain_edge& e : edges) sorted[next[first_of(e)]++] = e;
  return sorted;
}

}  // namespace

edge_groups edge_groups_of(const sparse_view& rows, std::size_t nodes, std::span<const std::uint32_t> terminals,
                           const chunk_plan& chunks) {
  edge_groups made{.u = {}, .v = {}, .forth = {}, .back = {}, .groups = {}, .windows = {}};
  made.rows_per_chunk = chunks.rows_per_chunk();
  const std::vector<plain_edge> edges = by_place(edges_of(rows, nodes, terminals), places_of(rows, nodes));
  made.u.reserve(edges.size()), made.v.reserve(edges.size());
  made.forth.reserve(edges.size()), made.back.reserve(edges.size());
  const auto until = [&](std::size_t row) { return edges.size() * row / rows.rows(); };
  window_groups groups(made, nodes);
  for (std::size_t c = 0; c < chunks.count(); ++c) {
    const chunk part = chunks[c];
    for (std::size_t first = part.first; first < part.last; first += edge_groups::window) {
      made.windows.push_back(static_cast<std::uint32_t>(made.groups.size()));
      const std::size_t end = until(std::min(first + edge_groups::window, part.last));
      for (std::size_t e = until(first); e < end; ++e)
        groups.take(edges[e].u, edges[e].v, edges[e].forth, edges[e].back);
      groups.close();
    }
  }
  made.windows.push_back(static_cast<std::uint32_t>(made.groups.size()));
  made.groups.push_back(static_cast<std::uint32_t>(made.u.size()));
  return made;
}

}  // namespace hogwild
