// SPDX-License-Identifier: Apache-2.0
#include "graph_rows.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

/// Columns of nodes, counted from 0.
class column_map {
 public:
  column_map(const graph& g, const std::vector<bool>& terminals) {
    for (std::size_t i = 0; i < g.sides.size(); ++i)
      if (terminals[i]) fixed_.push_back(g.sides[i]);
  }
  std::uint32_t operator()(std::uint32_t node) const {
    const auto found = std::ranges::lower_bound(fixed_, node, {}, &graph::labelled_node::node);
    const bool fixed = found != fixed_.end() && found->node == node;
    return (fixed ? terminal_column(found->side) : node_column(node)) - 1;
  }

 private:
  std::vector<graph::labelled_node> fixed_;
};

/// Edges between columns, the smaller end first, each pair once.
std::vector<graph::edge> merged_edges(const graph& g, const column_map& column) {
  std::vector<graph::edge> edges;
  edges.reserve(g.edges.size());
  for (const graph::edge& e : g.edges) {
    const std::uint32_t u = column(e.u), v = column(e.v);
    if (u < v) edges.push_back({u, v, e.forth, e.back});
    if (v < u) edges.push_back({v, u, e.back, e.forth});
  }
  const auto ends = [](const graph::edge& e) { return std::pair(e.u, e.v); };
  std::ranges::stable_sort(edges, {}, ends);  // equal ends stay in the order of the text, so that sums round alike
  std::size_t kept = 0;
  for (const graph::edge& e : edges) {
    if (kept > 0 && ends(edges[kept - 1]) == ends(e)) {
      edges[kept - 1].forth += e.forth;
      edges[kept - 1].back += e.back;
    } else {
      edges[kept++] = e;
    }
  }
  edges.resize(kept);
  std::erase_if(edges, [](const graph::edge& e) { return e.forth == 0.0 && e.back == 0.0; });
  return edges;
}

/// Collects rows in blocks.
class row_collector {
 public:
  void add(std::initializer_list<std::pair<std::uint32_t, double>> entries, double label) {
    if (text_->blocks.empty() || text_->blocks.back().label.size() == block_rows) begin_block();
    row_block& block = text_->blocks.back();
    for (const auto& [column, value] : entries) {
      block.index[block.entries] = column;
      block.value[block.entries++] = static_cast<float>(value);
      block.columns = std::max(block.columns, column + 1);
    }
    block.row_end.push_back(static_cast<std::uint32_t>(block.entries));
    block.label.push_back(label);
  }

  std::unique_ptr<parsed_text> finish() {
    for (const row_block& block : text_->blocks) {
      text_->rows += block.label.size();
      text_->nonzeros += block.entries;
      text_->columns = std::max<std::size_t>(text_->columns, block.columns);
    }
    return std::move(text_);
  }

 private:
  static constexpr std::size_t block_rows = std::size_t{1} << 16;

  void begin_block() {
    if (piece_.left() < 2 * block_rows) piece_ = entry_piece(entry_piece::usual);
    row_block& block = text_->blocks.emplace_back();
    piece_.lend(block);
    piece_.take(2 * block_rows);
  }

  std::unique_ptr<parsed_text> text_ = std::make_unique<parsed_text>();
  entry_piece piece_;
};

}  // namespace

std::vector<bool> draw_terminals(const graph& g, const graph_options& options) {
  if (!g.labelled) {
    if (options.terminals || options.seed)
      throw config_error("a graph in DIMACS text names its terminals: leave out their fraction and seed");
    return std::vector<bool>(g.sides.size(), true);
  }
  const double fraction = options.terminals.value_or(graph_options::usual_terminals);
  if (!(fraction >= 0.0 && fraction <= 1.0))
    throw config_error("the fraction of nodes that are terminals lies between 0 and 1");
  std::vector<std::vector<std::size_t>> of_side;
  for (std::size_t i = 0; i < g.sides.size(); ++i) {
    if (g.sides[i].side >= of_side.size()) of_side.resize(g.sides[i].side + 1);
    of_side[g.sides[i].side].push_back(i);
  }
  std::vector<bool> terminals(g.sides.size());
  for (std::size_t side = 0; side < of_side.size(); ++side) {
    const counter_random random(options.seed.value_or(graph_options::usual_seed), side);
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (const std::size_t i : of_side[side]) order.emplace_back(random.bits(g.sides[i].node), i);
    std::ranges::sort(order);
    const auto wanted = static_cast<std::size_t>(std::round(fraction * static_cast<double>(order.size())));
    for (std::size_t k = 0; k < std::min(std::max<std::size_t>(wanted, 1), order.size()); ++k)
      terminals[order[k].second] = true;
  }
  return terminals;
}

std::vector<bool> unknown_terminals(const graph& g, const column_numbering& columns) {
  std::vector<bool> terminals(g.sides.size(), true);
  if (!g.labelled) return terminals;
  for (std::size_t i = 0; i < g.sides.size(); ++i)
    terminals[i] = columns.position(node_column(g.sides[i].node)) == column_numbering::unknown;
  return terminals;
}

void require_known(const graph& g, const std::vector<bool>& terminals, const column_numbering& columns,
                   const std::string& name) {
  const column_map column(g, terminals);
  for (const graph::edge& e : g.edges) {
    for (const std::uint32_t node : {e.u, e.v}) {
      const bool counts = e.u != e.v && (e.forth > 0.0 || e.back > 0.0) && column(e.u) != column(e.v);
      if (counts && columns.position(column(node) + 1) == column_numbering::unknown)
        throw input_error(name + ": this is not the graph that the model was trained on: node " + std::to_string(node) +
                          " had no edge in that graph, or its side had no terminal");
    }
  }
}

std::unique_ptr<parsed_text> edge_rows(const graph& g, const std::vector<bool>& terminals, const std::string& name) {
  const auto other = std::ranges::find_if(g.sides, [&](const auto& s) { return s.side != g.sides.front().side; });
  if (other == g.sides.end())
    throw input_error(name + ": a cut needs nodes of two classes at least, but there are " +
                      (g.sides.empty() ? "none with a class" : "those of one class only"));
  row_collector rows;
  const std::vector<graph::edge> edges = merged_edges(g, column_map(g, terminals));
  if (edges.empty()) throw input_error(name + ": the graph has no edges to cut");
  std::vector<bool> lone;  // sides whose terminals have no edge
  for (std::size_t i = 0; i < g.sides.size(); ++i) {
    if (g.sides[i].side >= lone.size()) lone.resize(g.sides[i].side + std::size_t{1});
    lone[g.sides[i].side] = lone[g.sides[i].side] || terminals[i];
  }
  for (const graph::edge& e : edges) {
    rows.add({{e.u, e.forth}, {e.v, e.back}}, no_side);
    for (const std::uint32_t end : {e.u, e.v})
      if (!is_node_column(end + 1)) lone[side_of_terminal(end + 1)] = false;
  }
  for (std::size_t i = 0; i < g.sides.size(); ++i)
    if (!terminals[i]) rows.add({{node_column(g.sides[i].node) - 1, 1.0}}, g.sides[i].side);
  for (std::uint32_t side = 0; side < lone.size(); ++side)
    if (lone[side]) rows.add({{terminal_column(side) - 1, 1.0}}, no_side);
  return rows.finish();
}

std::unique_ptr<parsed_text> node_rows(const graph& g, const std::vector<bool>& terminals, std::size_t text_bytes,
                                       const std::string& name) {
  // A header may claim any number of nodes, so the size of the text limits how many are accepted.
  constexpr std::size_t free_nodes = 65536, nodes_a_byte = 16;
  if (g.nodes > free_nodes + nodes_a_byte * text_bytes)
    throw input_error(name + ": hardly any of its " + std::to_string(g.nodes) +
                      " nodes has an edge; number the nodes without gaps");
  row_collector rows;
  const column_map column(g, terminals);
  for (std::uint32_t v = 0; v < g.nodes; ++v) rows.add({{column(g.first + v), 1.0}}, 0.0);
  return rows.finish();
}

}  // namespace hogwild::detail
