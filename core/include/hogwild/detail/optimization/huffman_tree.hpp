// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hogwild {

/// The binary tree whose leaves, weighted by their counts, lie nearest to its root (Huffman, A method for the
/// construction of minimum-redundancy codes, 1952). n leaves, numbered as their counts are, hang on n - 1 inner nodes,
/// numbered by falling weight: node 0 is the root, and a node's parent has a lower number than the node. Never changed,
/// so any number of threads may ask at once.
///
/// Equal counts give the same tree everywhere: of two leaves with one count, that with the higher number is the lighter
/// one; a leaf is lighter than an inner node of its weight, and of two such nodes that which was joined first. So
/// a leaf's path is never longer than that of a lighter leaf.
class huffman_tree {
 public:
  huffman_tree() = default;
  /// Of any counts, zeros too; fewer than 2^32. Sums from 2^64 on count as 2^64 - 1. Takes the time of a sort, and then
  /// one proportional to what is stored.
  explicit huffman_tree(std::span<const std::uint64_t> counts);

  std::size_t leaves() const { return begin_.size() - 1; }
  std::size_t inner_nodes() const { return leaves() < 2 ? 0 : leaves() - 1; }

  /// The inner nodes from the root to a leaf; none where the leaf is the only one.
  std::span<const std::uint32_t> nodes(std::size_t leaf) const { return part_of(nodes_, leaf); }
  /// Where the path goes at each of them: 1 to the lighter child, 0 to the other.
  std::span<const std::uint8_t> bits(std::size_t leaf) const { return part_of(bits_, leaf); }

  /// How many nodes the longest path has.
  std::size_t longest_path() const { return longest_; }

 private:
  template <class T>
  std::span<const T> part_of(const std::vector<T>& steps, std::size_t leaf) const {
    return std::span(steps).subspan(begin_[leaf], begin_[leaf + 1] - begin_[leaf]);
  }

  std::vector<std::size_t> begin_{0};  ///< where each leaf's path begins in the two below, and where the last one ends
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint8_t> bits_;
  std::size_t longest_ = 0;
};

}  // namespace hogwild
