// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/math/huffman_tree.hpp>
#include <hogwild/detail/models/example_labels.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/detail/models/row_slots.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The last layer of a net of many classes as a hierarchical softmax (Morin and Bengio 2005). Classes are the leaves of
/// a Huffman tree by the rows that they have. Inner node v goes to its heavier child with the probability 1 / (1 +
/// exp(-s_v)), s_v = W_v . h + b_v. A class has the product of the probabilities on its path, so all of them have the
/// sum 1, and its loss is
///
///   sum over the nodes v of its path of log(1 + exp(-s_v)), or log(1 + exp(s_v)) where it goes to the lighter child.
///
/// An example of several classes has the mean of their losses.
///
/// An example reads and changes the nodes of its own path: about as many as the entropy of the classes has bits. One
/// worker's memory; no other thread may use it at the same time. Call take() for each example, then gather() for all of
/// them.
class tree_layer {
 public:
  /// For at most `batch` examples of `classes` > 1, computed `rows` at a time: the stride of the preceding net, which
  /// has `inputs` > 0 outputs h.
  tree_layer(std::size_t classes, std::size_t inputs, std::size_t batch, std::size_t rows);

  bool is_grown() const { return tree_.leaves() > 0; }
  /// Makes the tree; to be called once. `counts` are results of counted() for the rows of each class; other numbers are
  /// rounded to the nearest such result.
  void grow(std::span<const float> counts);
  /// Encodes a class's rows as a number that differs from the next one by at least an eighth in single precision, so
  /// that rounding errors of sums and means of replicas vanish; counts above 2^20 are cut to that.
  static float counted(std::uint32_t rows) { return static_cast<float>(std::min(rows, most_rows)); }

  /// Sets the classes of example k.
  void take(std::size_t k, const sparse_row<float>& z) { labels_.take(k, z); }
  /// Gives the nodes on the paths of examples 0 .. n-1 slots.
  void gather(std::size_t n);
  row_slots& slots() { return slots_; }
  const row_slots& slots() const { return slots_; }
  /// The fraction of all batches that have the slot's node.
  float chance(std::size_t slot) const;

  /// For a pass of the preceding net: fills in its partials of the mean loss, and adds to those of the slots.
  void differentiate(const net_outputs& at);

  /// Reads the weights of a node; returns its bias.
  using node_reader = std::function<float(std::size_t node, std::span<float> weights)>;
  /// Loss and most probable class of a pass's examples. The class is found exactly, best node first: fast if few
  /// classes are probable; if all are alike every node is visited. If there is room, every node is read once for all
  /// examples, and of_classes[k * classes + c] becomes the logarithm of the probability that example k of the batch has
  /// class c. Checks `stopping` for each example and each such node.
  void score(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
             std::span<row_score> scores, std::span<float> of_classes = {});

 private:
  static constexpr std::uint32_t most_rows = 1u << 20;
  /// The children of an inner node, the heavier one first; numbers from classes() - 1 on are leaves, by class.
  using children = std::array<std::uint32_t, 2>;
  void take_example(const net_outputs& at, std::size_t lane);
  void differentiate_path(std::uint32_t c, float part);
  double step_score(const node_reader& read, std::size_t node);
  float best_class(const node_reader& read);
  void score_classes(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
                     std::span<float> of_classes);

  std::size_t classes_, inputs_, rows_, batch_labels_ = 1;
  huffman_tree tree_;
  std::vector<children> below_;
  std::vector<float> log_left_out_;  ///< for each node, the logarithm of the chance that a label's path lacks it
  row_slots slots_;
  example_labels labels_;
  std::vector<float> h_, partials_, node_;  ///< of one example, its partials, and one node
};

}  // namespace hogwild
