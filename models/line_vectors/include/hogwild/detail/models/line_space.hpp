// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/embeddings/drawn_block.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/node_graph.hpp>

namespace hogwild {

/// One worker's memory for blocks of edges, which are trained one after the other: one for each example, drawn from the
/// whole graph.
class line_space {
 public:
  static constexpr std::size_t edges = 64;  ///< of a block

  /// A block of one order of proximity, and where the vectors of the nodes that edges leave begin.
  struct order {
    std::size_t sources;
    drawn_block block;
  };
  line_space(std::vector<order> orders, std::shared_ptr<const node_graph> graph, std::size_t width, std::size_t batch)
      : orders_(std::move(orders)), graph_(std::move(graph)), width_(width), edges_(edges), random_(batch, {0, 0}) {}

  void take(std::size_t k, const counter_random& random) { random_[k] = random; }

  /// The sum of the losses of block k.
  double loss(const auto& w, std::size_t k) {
    draw(k);
    row_score of_block, sum;
    for (order& o : orders_) {
      read(w, o);
      o.block.losses(edges, std::span(&of_block, 1));
      sum.loss += of_block.loss;
    }
    return sum.loss;
  }

  /// Emits the gradient of that sum.
  void differentiate(const auto& w, std::size_t k, const auto& emit) {
    draw(k);
    for (order& o : orders_) {
      read(w, o);
      o.block.differentiate(edges);
      for (std::size_t i = 0; i < edges; ++i)
        o.block.add(o.sources + edges_[i].first * width_, o.block.source_gradient(i));
      o.block.emit(emit);
    }
  }

 private:
  /// Draws edges, and the nodes for contrast.
  void draw(std::size_t k) {
    constexpr std::uint64_t behind_edges = 2 * edges;
    const counter_random& random = random_[k];
    for (std::size_t i = 0; i < edges; ++i) edges_[i] = graph_->edge(random.bits(2 * i), random.bits(2 * i + 1));
    for (order& o : orders_)
      o.block.draw([&](std::size_t j) { return graph_->contrast(random.bits(behind_edges + j)); });
  }
  void read(const auto& w, order& o) {
    o.block.begin(w);
    for (std::size_t i = 0; i < edges; ++i) {
      w.block(o.sources + edges_[i].first * width_, width_).copy_to(o.block.source(i));
      o.block.read_positive(w, i, edges_[i].second);
    }
  }

  std::vector<order> orders_;
  std::shared_ptr<const node_graph> graph_;
  std::size_t width_;  ///< floats of a vector
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  std::vector<counter_random> random_;  ///< of each example
};

}  // namespace hogwild
