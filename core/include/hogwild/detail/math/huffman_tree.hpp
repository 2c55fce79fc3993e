// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hogwild {

/// The binary tree whose leaves, weighted by their counts, are nearest to its root (Huffman, A method for the
/// construction of minimum-redundancy codes, 1952). Its n leaves are numbered like their counts. Its n - 1 inner nodes
/// are numbered by falling weight: node 0 is the root, and a node's parent has a lower number than the node. A tree
/// never changes, so any number of threads may use it at once.
///
/// Equal counts give the same tree everywhere: of two leaves with the same count, the one with the higher number is the
/// lighter one; a leaf is lighter than an inner node of its weight; and of two such nodes the one that was joined first
/// is lighter. So a leaf's path is never longer than that of a lighter leaf.
class huffman_tree {
 public:
  huffman_tree() = default;
  /// `counts` may be any numbers, including zeros; there are fewer than 2^32. Sums of 2^64 or more count as 2^64 - 1.
  /// Takes the time of a sort, and then time proportional to the size of the tree.
  explicit huffman_tree(std::span<const std::uint64_t> counts);

  std::size_t leaves() const { return begin_.size() - 1; }
  std::size_t inner_nodes() const { return leaves() < 2 ? 0 : leaves() - 1; }

  /// The inner nodes from the root to a leaf; none if the leaf is the only one.
  std::span<const std::uint32_t> nodes(std::size_t leaf) const { return part_of(nodes_, leaf); }
  /// The direction of the path at each of them: 1 to the lighter child, 0 to the other.
  std::span<const std::uint8_t> bits(std::size_t leaf) const { return part_of(bits_, leaf); }

  /// The number of nodes of the longest path.
  std::size_t longest_path() const { return longest_; }

 private:
  template <class T>
  std::span<const T> part_of(const std::vector<T>& steps, std::size_t leaf) const {
    return std::span(steps).subspan(begin_[leaf], begin_[leaf + 1] - begin_[leaf]);
  }

  std::vector<std::size_t> begin_{0};  ///< where each leaf's path begins in the two arrays below, and the end
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint8_t> bits_;
  std::size_t longest_ = 0;
};

}  // namespace hogwild
