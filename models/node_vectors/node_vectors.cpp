// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/node_vectors.hpp>

#include <vector>

#include "embeddings/product_options.hpp"
#include "nodes/node_descriptor.hpp"

namespace hogwild {
namespace {

std::vector<model_option> node_options() {
  const node_vectors usual = node_vectors::usual();
  return {count_option("dimension", usual.dimension, "numbers of a vector"),
          count_option("length", usual.length, "nodes of a walk, at most"),
          count_option("window", usual.window, "neighbours on each side, at most"),
          count_option("negative", usual.negative, "weight of contrast: as so many drawn ones for each pair"),
          number_option("p", usual.p, "walks return to the node that they come from by the factor 1 / P"),
          number_option("q", usual.q, "walks go to nodes that are no neighbours of that one by the factor 1 / Q"),
          detail::products_option()};
}

node_vectors with_options(const model_options& options) {
  node_vectors m = node_vectors::usual();
  const auto count = [&](const char* option, std::size_t least, std::size_t most, std::size_t otherwise) {
    return detail::count_within(options, node_vectors::name, option, least, most, otherwise);
  };
  m.dimension = count("dimension", 1, 65'536, m.dimension);
  m.length = static_cast<std::uint32_t>(count("length", 2, 1000, m.length));
  m.window = static_cast<std::uint32_t>(count("window", 1, 1000, m.window));
  m.negative = static_cast<std::uint32_t>(count("negative", 1, 1000, m.negative));
  m.p = options.number("p", m.p);
  m.q = options.number("q", m.q);
  for (const double x : {m.p, m.q})
    if (!(x >= 1e-6 && x <= 1e6)) throw config_error("--p and --q are numbers from 1e-6 to 1e6");
  m.products = detail::products_of(options);
  return m;
}

}  // namespace

template <>
const model_descriptor& descriptor_of<node_vectors>() {
  static const detail::node_descriptor<node_vectors> descriptor(
      {.summary = "vectors of the nodes of a graph, from random walks",
       .input = model_input::edges,
       .options = node_options(),
       .uses = {"walks"}},
      with_options);
  return descriptor;
}

}  // namespace hogwild
