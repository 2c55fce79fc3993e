// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/embeddings/block_products.hpp>
#include <hogwild/detail/embeddings/row_limit.hpp>
#include <hogwild/detail/kernels/embedding_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/models/node_graph.hpp>
#include <hogwild/detail/platform/isa.hpp>

namespace hogwild {

/// What a workspace has to know of its model.
struct walk_shape {
  walk_rule rule{};
  std::size_t width = 0;   ///< floats of a vector, a multiple of embedding_lanes; those that pad it are 0
  std::size_t window = 0;  ///< > 0
  float negative = 0.0f;   ///< the weight of contrast for a pair of weight 1
  product_numbers products = product_numbers::floats;
};

/// One worker's memory for walks, which are trained one after the other. A walk is one block: its nodes, by their
/// inputs, against themselves and the nodes drawn for contrast, by their outputs. So a walk is three products of
/// matrices, in which pairs beyond the window weigh nothing.
class walk_space {
 public:
  walk_space(const walk_shape& shape, std::shared_ptr<const node_graph> graph, isa set, std::size_t batch);

  /// Walks from the node that is the row's first entry, and draws nodes for contrast.
  void take(std::size_t k, const sparse_row<float>& z, const counter_random& random);

  /// Reads the vectors of walk k by those two functions of a model: where a node's vectors begin. False if it has no
  /// pairs.
  template <class Model>
  bool read(const auto& w, const Model& m, std::size_t k) {
    if (!begin(walks_[k])) return false;
    if constexpr (requires { w.announce(k, k); })
      for_vectors(m, [&](std::size_t offset, std::span<float>, std::span<float>) { w.announce(offset, shape_.width); });
    for_vectors(
        m, [&](std::size_t offset, std::span<float> to, std::span<float>) { w.block(offset, to.size()).copy_to(to); });
    return true;
  }
  /// The loss of the walk that was read.
  double loss();
  /// Emits its gradient. A vector that occurs several times is emitted as often.
  template <class Model, class Emit>
  void differentiate(const Model& m, const Emit& emit) {
    differentiate();
    for_vectors(m,
                [&](std::size_t offset, std::span<float>, std::span<float> gradient) { emit.block(offset, gradient); });
  }

 private:
  struct walk {
    std::vector<std::uint32_t> path{}, contrast{};
  };

  std::span<float> row(lined_floats& of, std::size_t i) { return of.part(i * shape_.width, shape_.width); }
  /// The scores of the node at place i of the walk against all targets.
  std::span<float> scores(std::size_t i) { return scores_.part(i * targets_count_, targets_count_); }

  /// Calls f(offset, vector, gradient) for all places: where the vector begins among the parameters, and its memory.
  template <class Model, class F>
  void for_vectors(const Model& m, const F& f) {
    const auto& [path, contrast] = *here_;
    for (std::size_t i = 0; i < path.size(); ++i) f(m.input_of(path[i]), row(sources_, i), row(source_gradients_, i));
    for (std::size_t j = 0; j < path.size(); ++j) f(m.output_of(path[j]), row(targets_, j), row(target_gradients_, j));
    for (std::size_t j = 0; j < contrast.size(); ++j)
      f(m.output_of(contrast[j]), row(targets_, path_targets_ + j), row(target_gradients_, path_targets_ + j));
  }

  bool begin(const walk& of);
  void score(bool trained);
  void differentiate();
  /// The weight of each contrast of place i, and, in near(i), that of each pair before its nodes' own factors.
  float contrast_weight(std::size_t i) const;
  const float* near(std::size_t i) const { return near_.data() + shape_.rule.length - 1 - i; }

  walk_shape shape_;
  std::shared_ptr<const node_graph> graph_;
  const embedding_kernels& kernels_;
  row_limit limit_;
  std::size_t contrasts_;  ///< nodes drawn for a walk
  block_products products_;
  std::vector<walk> walks_;
  const walk* here_ = nullptr;                        ///< the walk that was read
  std::size_t path_targets_ = 0, targets_count_ = 0;  ///< of it: its places, padded; those, and the contrast
  lined_floats sources_, targets_, source_gradients_, target_gradients_;
  lined_floats scores_;
  lined_floats near_;    ///< weights of pairs by distance: that of distance 0 at length - 1
  lined_floats factor_;  ///< of each target
  std::vector<std::uint32_t> sorted_;
};

}  // namespace hogwild
