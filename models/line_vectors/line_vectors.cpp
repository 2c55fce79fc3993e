// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/line_vectors.hpp>

#include <string>
#include <utility>
#include <vector>

#include "embeddings/product_options.hpp"
#include "nodes/node_descriptor.hpp"

namespace hogwild {
namespace {

std::vector<model_option> line_options() {
  const line_vectors usual;
  return {count_option("dimension", usual.dimension, "numbers of a vector"),
          word_option("proximity", {"both", "first", "second"},
                      "which nodes are near each other: first: those with an edge, second: those with the same "
                      "neighbours; both: half of the numbers for each"),
          count_option("negative", usual.negative, "weight of contrast: as so many drawn ones for each pair"),
          detail::products_option()};
}

line_vectors line_with(const model_options& options) {
  line_vectors m;
  const std::string proximity = options.text("proximity", "both");
  m.first = proximity != "second";
  m.second = proximity != "first";
  m.dimension = detail::count_within(options, line_vectors::name, "dimension", m.orders(), 65'536, m.dimension);
  m.negative =
      static_cast<std::uint32_t>(detail::count_within(options, line_vectors::name, "negative", 1, 1000, m.negative));
  if (m.dimension % m.orders() != 0)
    throw config_error("--proximity both has half of the numbers of a vector for each order: give an even --dimension");
  m.products = detail::products_of(options);
  return m;
}

}  // namespace

line_space line_vectors::make_workspace(const sparse_view&, const std::shared_ptr<const node_graph>& side, isa set,
                                        std::size_t batch) const {
  constexpr std::size_t contrasts = 64;  // nodes drawn for a block
  const block_scoring scoring{.width = width(),
                              .targets = contrasts,
                              .loss = {.kind = target_loss::logistic, .contrast = static_cast<float>(negative)},
                              .products = products};
  std::vector<line_space::order> all;
  if (first) all.push_back({0, {scoring, set, line_space::edges, 0}});
  if (second) all.push_back({second_order(), {scoring, set, line_space::edges, contexts()}});
  return {std::move(all), side, width(), batch};
}

template <>
const model_descriptor& descriptor_of<line_vectors>() {
  static const detail::node_descriptor<line_vectors> descriptor(
      {.summary = "vectors of the nodes of a graph, from its edges",
       .input = model_input::edges,
       .options = line_options()},
      line_with);
  return descriptor;
}

}  // namespace hogwild
