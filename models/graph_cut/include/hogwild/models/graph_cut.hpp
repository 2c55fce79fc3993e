// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// Projects x onto the simplex: the nearest point with all x[d] >= 0 and the sum 1. Entries that are too small are
/// removed until the others, all lowered by the same number, stay above 0 (Michelot, A finite algorithm for finding the
/// projection of a point onto the canonical simplex, 1986).
inline void project_to_simplex(std::span<float> x) {
  if (x.size() == 2) {
    x[0] = std::clamp(0.5f * (x[0] - x[1]) + 0.5f, 0.0f, 1.0f);
    x[1] = 1.0f - x[0];
    return;
  }
  double lowered_by = -std::numeric_limits<double>::infinity();
  for (std::size_t before = x.size() + 1;;) {
    double sum = 0.0;
    std::size_t above = 0;
    for (const float each : x) {
      if (!(static_cast<double>(each) > lowered_by)) continue;
      sum += static_cast<double>(each);
      ++above;
    }
    if (above >= before || above == 0) break;  // any further change would be rounding
    before = above;
    lowered_by = (sum - 1.0) / static_cast<double>(above);
  }
  for (float& each : x) each = static_cast<float>(std::max(static_cast<double>(each) - lowered_by, 0.0));
}

/// Memory of one worker: the examples taken, and the ends of the current edge.
struct graph_cut_space {
  static constexpr std::uint32_t nobody = 0xffffffffu;  ///< no node: `v` of an example that is a node
  /// A row of the batch: an edge, or a node to measure.
  struct example {
    std::uint32_t u = nobody, v = nobody;  ///< columns; a node to measure has only u
    float forth = 0.0f, back = 0.0f;       ///< capacities from u to v and from v to u
  };
  std::vector<std::uint32_t> terminals;     ///< sides of the columns that follow those of the nodes
  std::vector<example> examples;            ///< of the batch, by their index in it
  std::vector<float> at_u, at_v, partials;  ///< the points of both nodes, and the emitted partials; one number a side
};

/// The multiway cut of a graph (formats/graphs.hpp): assigns its nodes to sides such that the edges between different
/// sides have the least capacity. It is relaxed as in the Hogwild! paper (Recht, Re, Wright and Niu, Hogwild!: a
/// lock-free approach to parallelizing stochastic gradient descent, 2011, section 2, graph cuts): each node is a point
/// of the simplex over the sides,
///
///   minimise  sum over edges (u, v) of  c_uv / 2 * |x_u - x_v|_1,   x_u >= 0,  sum_d x_u[d] = 1,
///
/// a terminal of side s is the corner e_s, and a node goes to the side of its largest entry. With a source, side 0, and
/// a sink, side 1, an edge has a capacity for each direction: c_uv is the one from the end that is nearer to the
/// source.
///
/// Terminals are constants, not parameters: nothing can move them. A stored point may lie outside the simplex while
/// several workers add to it, or after replicas have met; readers project it. Capacities are in units of their mean, so
/// that a step means the same for every graph.
struct graph_cut {
  using scalar_type = float;
  using workspace = graph_cut_space;
  static constexpr std::string_view name = "graph_cut";
  using library_model = graph_cut;
  using kernel_model = graph_cut;
  static constexpr label_kind labels = label_kind::real;
  static constexpr bool cuts = true;        ///< its rows are edges and nodes of a graph
  static constexpr bool emits_sums = true;  ///< a gradient may emit the sum of several rows at once
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr std::size_t measured_rows = 50'000;
  static constexpr training_defaults defaults{.step = 0.3, .decay = 0.1, .schedule = schedule_kind::inverse};
  static constexpr std::size_t epochs = 400;  ///< so many, because nodes affect each other edge by edge

  std::size_t nodes = 0;  ///< columns that are not terminals
  std::size_t sides = 2;  ///< parts that the graph is cut into; at least 2
  float unit = 1.0f;      ///< > 0: the mean capacity

  std::size_t dim() const { return nodes * sides; }
  std::array<parameter_group, 2> groups() const {
    return {{{.name = "nodes", .rows = nodes, .width = sides},
             {.name = "terminals", .offset = dim(), .width = sides, .first_column = nodes}}};
  }
  void init(const auto& w, const counter_random&) const {
    for (std::size_t j = 0; j < dim(); ++j) w.store(j, 1.0f / static_cast<float>(sides));
  }
  /// Projects the point of each node in `block` onto the simplex: numbers of at least 0 with the sum 1.
  void project(std::span<float> block, float) const {
    for (std::size_t first = 0; first + sides <= block.size(); first += sides)
      project_to_simplex(block.subspan(first, sides));
  }

  /// Throws config_error if a column is neither a node of this cut nor a terminal of one of its sides.
  void require_data(const sparse_view& rows, std::string_view source) const;
  /// The sides of the columns that follow those of the nodes.
  std::vector<std::uint32_t> terminals_of(const sparse_view& data) const;

  workspace make_workspace(const sparse_view& data, isa, std::size_t batch) const {
    workspace space{.terminals = terminals_of(data), .examples = {}, .at_u = {}, .at_v = {}, .partials = {}};
    space.examples.resize(batch);
    for (std::vector<float>* const row : {&space.at_u, &space.at_v, &space.partials}) row->resize(sides);
    return space;
  }

  void take(workspace& space, std::size_t k, const sparse_row<float>& z, counter_random) const {
    graph_cut_space::example& e = space.examples[k] = {};
    const bool is_edge = z.size() == 2, is_node = z.size() == 1 && z.label >= 0.0f;
    if (!is_edge && !is_node) return;  // an edge with an end that the model does not have
    e.u = z.index[0];
    e.forth = z.value[0];
    if (is_edge) e.v = z.index[1], e.back = z.value[1];
  }

  /// Edge by edge: the next edge reads the points that this one changed.
  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k) {
      const graph_cut_space::example& e = space.examples[k];
      if (e.v == graph_cut_space::nobody) continue;
      read_ends(w, space, e);
      const float c = capacity(space, e) / (2.0f * unit);
      float sum = 0.0f;
      bool any = false;
      for (std::size_t d = 0; d < sides; ++d) {
        const float apart = space.at_u[d] - space.at_v[d];
        space.partials[d] = apart > 0.0f ? c : apart < 0.0f ? -c : 0.0f;
        sum += space.partials[d];
        any = any || space.partials[d] != 0.0f;
      }
      if (!any) continue;
      // The projection would remove any component perpendicular to the plane of the simplex.
      for (float& partial : space.partials) partial -= sum / static_cast<float>(sides);
      if (e.u < nodes) emit.block(e.u * sides, std::span<const float>(space.partials));
      for (float& partial : space.partials) partial = -partial;
      if (e.v < nodes) emit.block(e.v * sides, std::span<const float>(space.partials));
    }
  }

  /// The score of an edge is the part of it that is cut, that of a node its side.
  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k) {
      const graph_cut_space::example& e = space.examples[k];
      scores[k] = {};
      if (e.u == graph_cut_space::nobody) continue;
      read_ends(w, space, e);
      const std::size_t from = side_of(space.at_u);
      if (e.v == graph_cut_space::nobody) {
        scores[k].score = static_cast<float>(from);
        continue;
      }
      const std::size_t to = side_of(space.at_v);
      double apart = 0.0;
      for (std::size_t d = 0; d < sides; ++d)
        apart += std::abs(static_cast<double>(space.at_u[d]) - static_cast<double>(space.at_v[d]));
      scores[k].loss = static_cast<double>(capacity(space, e)) / (2.0 * static_cast<double>(unit)) * apart;
      scores[k].score = from == to ? 0.0f : from < to ? e.forth : e.back;
    }
  }

  /// The index of a point's largest entry, the first of equal ones.
  static std::size_t side_of(std::span<const float> x) {
    return static_cast<std::size_t>(std::ranges::max_element(x) - x.begin());
  }

 private:
  /// With two sides an edge is cut in one direction only; with more, all edges have the same capacity both ways.
  float capacity(const workspace& space, const graph_cut_space::example& e) const {
    return space.at_u[0] > space.at_v[0] ? e.forth : e.back;
  }
  void read_ends(const auto& w, workspace& space, const graph_cut_space::example& e) const {
    read(w, space, e.u, space.at_u);
    if (e.v != graph_cut_space::nobody) read(w, space, e.v, space.at_v);
  }
  void read(const auto& w, const workspace& space, std::uint32_t column, std::span<float> x) const {
    if (column < nodes) {
      const auto stored = w.block(column * sides, sides);
      for (std::size_t d = 0; d < sides; ++d) x[d] = stored[d];
      project_to_simplex(x);
    } else {
      std::ranges::fill(x, 0.0f);
      x[space.terminals[column - nodes]] = 1.0f;
    }
  }
};

/// The cut of a graph that open_graph() opened.
graph_cut graph_cut_of(const sparse_view& graph);

}  // namespace hogwild
