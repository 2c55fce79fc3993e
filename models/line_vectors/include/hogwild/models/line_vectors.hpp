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
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/line_space.hpp>
#include <hogwild/detail/models/node_graph.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/model.hpp>
#include <hogwild/option_values.hpp>

namespace hogwild {

/// Vectors of the nodes of a graph from its edges (Tang and others, LINE: large-scale information network embedding,
/// WWW 2015). An example is a block of edges, drawn from all edges in proportion to their weights. With nodes r drawn
/// for the block, its loss is
///
///   sum over edges from u to v of [ -log sigma(a_u . b_v) - negative * mean over r other than v of log sigma(-a_u .
///   b_r) ]
///
/// For proximity of the first order, that of nodes with an edge, b is a. For that of the second order, of nodes whose
/// edges lead to the same nodes, b are vectors of their own, the contexts. Both orders are trained by the same edges,
/// and do not depend on each other.
struct line_vectors {
  using scalar_type = float;
  using workspace = line_space;
  using library_model = line_vectors;
  static constexpr std::string_view name = "line";  ///< which as a word of code has other meanings
  static constexpr std::size_t epochs = 40;         ///< the default
  static constexpr std::size_t measured_rows = 200;
  static constexpr bool scored = false;     ///< nodes have no labels
  static constexpr bool emits_sums = true;  ///< the gradient is that of the sum of the blocks' losses
  static constexpr bool emits_rows = true;  ///< each run that it emits begins where a row does
  static constexpr sharing_kind sharing = sharing_kind::direct;
  static constexpr training_defaults defaults{
      .step = 0.1, .schedule = schedule_kind::constant, .optimizer = optimizer_kind::row_adagrad, .batch = 1};

  std::size_t words = 0;             ///< nodes
  std::size_t dimension = 128;       ///< of both orders together
  std::uint32_t negative = 5;        ///< how much contrast weighs: as so many drawn nodes for each edge
  bool first = true, second = true;  ///< which orders there are; at least one
  product_numbers products = product_numbers::floats;  ///< what training multiplies

  std::size_t orders() const { return (first ? 1 : 0) + (second ? 1 : 0); }  ///< how many there are
  /// Numbers of a node's vector of one order.
  std::size_t of_order() const { return dimension / orders(); }
  std::size_t width() const { return padded_to_lanes(of_order()); }  ///< in memory, padded with zeros, which stay zero
  /// Where the vectors of each kind begin. Those of the first order lie before those of the second.
  std::size_t second_order() const { return first ? words * width() : 0; }
  std::size_t contexts() const { return second_order() + words * width(); }  ///< of the second order
  std::size_t dim() const { return second ? contexts() + words * width() : words * width(); }

  std::array<double, 5> hyperparameters() const {
    return {static_cast<double>(dimension), static_cast<double>(negative), first ? 1.0 : 0.0, second ? 1.0 : 0.0,
            static_cast<double>(products)};
  }
  std::array<parameter_group, 3> groups() const {
    const std::size_t of_first = first ? words : 0, of_second = second ? words : 0;
    return {
        {{.name = "first_order", .rows = of_first, .width = width()},
         {.name = "second_order", .offset = second_order(), .rows = of_second, .width = width()},
         {.name = "contexts", .offset = second_order() + of_second * width(), .rows = of_second, .width = width()}}};
  }
  /// Uniform in (-0.5, 0.5) / numbers of a vector; contexts stay zero.
  void init(const auto& view, const counter_random& random) const {
    const double scale = 1.0 / static_cast<double>(of_order());
    for (std::size_t row = 0; row < orders() * words; ++row)
      for (std::size_t k = 0; k < of_order(); ++k)
        view.store(row * width() + k, static_cast<float>((random.uniform(row * of_order() + k) - 0.5) * scale));
  }

  /// Refuses rows that are not those of all nodes.
  void require_data(const sparse_view& rows, std::string_view source) const {
    require_whole_graph(rows, words, source);
  }

  /// The graph, which all workers of a process read.
  std::shared_ptr<const node_graph> make_side(const sparse_view& rows) const {
    return std::make_shared<const node_graph>(rows);
  }
  line_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return make_workspace(data, make_side(data), set, batch);
  }
  line_space make_workspace(const sparse_view&, const std::shared_ptr<const node_graph>& side, isa set,
                            std::size_t batch) const;
  void take(line_space& s, std::size_t k, const sparse_row<float>&, const counter_random& random) const {
    s.take(k, random);
  }
  void gradient(const auto& w, line_space& s, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k) s.differentiate(w, k, emit);
  }
  void score(const auto& w, line_space& s, std::size_t n, std::span<row_score> scores) const {
    for (std::size_t k = 0; k < n; ++k) scores[k] = {.loss = s.loss(w, k)};
  }
};

}  // namespace hogwild
