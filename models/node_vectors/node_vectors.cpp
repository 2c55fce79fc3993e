// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/node_vectors.hpp>

#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/models/descriptor.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

std::vector<model_option> node_options() {
  const node_vectors usual = node_vectors::usual();
  return {count_option("dimension", usual.dimension, "numbers of a vector"),
          count_option("length", usual.length, "nodes of a walk, at most"),
          count_option("window", usual.window, "neighbours on each side, at most"),
          count_option("negative", usual.negative, "weight of contrast: as so many drawn ones for each pair"),
          number_option("p", usual.p, "walks return to the node that they come from by the factor 1 / P"),
          number_option("q", usual.q, "walks go to nodes that are no neighbours of that one by the factor 1 / Q")};
}

node_vectors with_options(const model_options& options) {
  node_vectors m = node_vectors::usual();
  const auto count = [&](const char* name, std::size_t least, std::size_t most, std::size_t otherwise) {
    const std::size_t n = options.count(name, otherwise);
    if (n < least || n > most)
      throw config_error("--" + std::string(name) + " of node_vectors is a number from " + std::to_string(least) +
                         " to " + std::to_string(most));
    return n;
  };
  m.dimension = count("dimension", 1, 65'536, m.dimension);
  m.length = static_cast<std::uint32_t>(count("length", 2, 1000, m.length));
  m.window = static_cast<std::uint32_t>(count("window", 1, 1000, m.window));
  m.negative = static_cast<std::uint32_t>(count("negative", 1, 1000, m.negative));
  m.p = options.number("p", m.p);
  m.q = options.number("q", m.q);
  for (const double x : {m.p, m.q})
    if (!(x >= 1e-6 && x <= 1e6)) throw config_error("--p and --q are numbers from 1e-6 to 1e6");
  return m;
}

class node_descriptor final : public descriptor_for<node_vectors> {
 public:
  node_descriptor()
      : descriptor_for({.summary = "vectors of the nodes of a graph, from random walks",
                        .input = model_input::edges,
                        .options = node_options(),
                        .uses = {"walks"}}) {}

  void check(const model_options& options) const override { with_options(options); }

  named_model make(const model_data& data, const model_options& options) const override {
    node_vectors m = with_options(options);
    m.words = data.features();
    return m;
  }

  std::shared_ptr<const loaded_model> load(const saved_model&) const override {
    throw input_error("vectors of nodes say nothing of rows");
  }

 private:
  saved_model save_model(const node_vectors&, const trained_parameters&) const override {
    throw config_error("the parameters of node_vectors are saved as word vectors");
  }
};

}  // namespace

void node_vectors::require_data(const sparse_view& rows, std::string_view source) const {
  if (rows.rows() != rows.columns || rows.columns != words || rows.row_start.back() - rows.row_start.front() < words)
    throw config_error(std::string(source) + ": walks go through a whole graph, with a row for each of its " +
                       std::to_string(words) + " nodes, and there are " + std::to_string(rows.rows()) +
                       " rows: train in one process, and hold no rows back");
}

template <>
const model_descriptor& descriptor_of<node_vectors>() {
  static const node_descriptor descriptor;
  return descriptor;
}

}  // namespace hogwild
