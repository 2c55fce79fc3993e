// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/node_graph.hpp>
#include <hogwild/detail/models/walk_space.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/detail/words/word_rows.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Vectors of the nodes of a graph, from random walks that are made while they are trained (Perozzi, Al-Rfou and
/// Skiena, DeepWalk: online learning of social representations, KDD 2014; with p and q Grover and Leskovec, node2vec:
/// scalable feature learning for networks, KDD 2016). An example is a node, from which a walk v_1, v_2, ... begins.
/// With the vectors a (input) and b (output) of each node, and nodes r drawn for the walk, its loss is
///
///   sum over i, j of w_ij [ -log sigma(a_i . b_j) - negative * mean over different r of log sigma(-a_i . b_r) ]
///
/// where w_ij = min(1 / n_i, 1 / n_j) (window + 1 - |i - j|) / window for i != j within the window, as words have on
/// average in a window of drawn radius, and 0 beyond it; the walk has v_i n_i times.
struct node_vectors : word_rows {
  using workspace = walk_space;
  using library_model = node_vectors;
  static constexpr std::string_view name = "node_vectors";
  static constexpr std::size_t epochs = 40;  ///< the default: walks from each node
  static constexpr std::size_t measured_rows = 200;
  static constexpr bool emits_sums = true;  ///< the gradient is that of the sum of the walks' losses
  static constexpr training_defaults defaults{
      .step = 0.05, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};

  std::uint32_t length = 40;   ///< nodes of a walk, at most; at least 2
  std::uint32_t window = 10;   ///< most neighbours on each side
  std::uint32_t negative = 5;  ///< how much contrast weighs: as so many drawn nodes for each pair
  double p = 1.0, q = 1.0;     ///< of walk_rule
  product_numbers products = product_numbers::floats;

  /// The model without options, and without data.
  static node_vectors usual() {
    node_vectors m;
    m.dimension = 128;
    return m;
  }

  std::array<double, 7> hyperparameters() const {
    return {static_cast<double>(dimension),
            static_cast<double>(length),
            static_cast<double>(window),
            static_cast<double>(negative),
            p,
            q,
            static_cast<double>(products)};
  }
  std::array<parameter_group, 1> groups() const { return {{{.name = "nodes", .rows = words, .width = row()}}}; }

  /// Refuses rows that are not those of all nodes.
  void require_data(const sparse_view& rows, std::string_view source) const {
    require_whole_graph(rows, words, source);
  }

  /// The graph, which all workers of a process read.
  std::shared_ptr<const node_graph> make_side(const sparse_view& rows) const {
    return std::make_shared<const node_graph>(rows);
  }
  walk_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return make_workspace(data, make_side(data), set, batch);
  }
  walk_space make_workspace(const sparse_view&, const std::shared_ptr<const node_graph>& side, isa set,
                            std::size_t batch) const {
    const walk_rule rule{length, static_cast<float>(p), static_cast<float>(q)};
    return {{rule, width(), window, static_cast<float>(negative), products}, side, set, batch};
  }
  void take(walk_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }
  void gradient(const auto& w, walk_space& s, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k)
      if (s.read(w, *this, k)) s.differentiate(*this, emit);
  }
  void score(const auto& w, walk_space& s, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k) scores[k] = {.loss = s.read(w, *this, k) ? s.loss() : 0.0};
  }
};

}  // namespace hogwild
