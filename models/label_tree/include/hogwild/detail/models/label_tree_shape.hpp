// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hogwild {

/// The form of a label tree, which is determined by two numbers: its leaves are `classes` places in a row, and a group
/// of the last level has at most `leaves` of them, its children. Level 0 is the root, the group of all places. The
/// groups of a level are equal parts of those of the level before, 16 of each, or 2, 4 or 8 of the root: places are cut
/// into halves as often as needed. So every group is a run of places.
///
/// Nodes, all but the root, have numbers: places first, then the groups of level 1, level 2, ... Children of a group
/// are adjacent.
class label_tree_shape {
 public:
  struct run {
    std::size_t first = 0, count = 0;
  };

  /// At least one class; leaves > 1, so that no group is empty.
  constexpr label_tree_shape(std::size_t classes, std::size_t leaves) : classes_(classes) {
    while (((classes - 1) >> halvings_) + 1 > leaves) ++halvings_;
    for (std::size_t cut = 0; cut < halvings_;) {
      const std::size_t left = halvings_ - cut;
      cut += left % halvings_at_once == 0 ? halvings_at_once : left % halvings_at_once;
      groups_[++levels_] = std::size_t{1} << cut;
    }
  }

  constexpr std::size_t classes() const { return classes_; }
  constexpr std::size_t last_level() const { return levels_; }
  constexpr std::size_t groups(std::size_t level) const { return groups_[level]; }
  /// How often all places are cut into halves to make the groups of the last level.
  constexpr std::size_t halvings() const { return halvings_; }

  constexpr std::size_t nodes() const { return first_group(levels_ + 1); }
  /// The most children of a group.
  constexpr std::size_t most_children() const {
    return std::max(((classes_ - 1) >> halvings_) + 1, std::size_t{1} << std::min(halvings_, halvings_at_once));
  }

  /// The first place of part k of 2^n equal parts; of part 2^n it is the number of places.
  constexpr std::size_t begin(std::size_t n, std::size_t k) const {
    return static_cast<std::size_t>(std::uint64_t{k} * classes_ >> n);
  }
  /// The places of a group of the last level.
  constexpr run places(std::size_t group) const {
    const std::size_t first = begin(halvings_, group);
    return {first, begin(halvings_, group + 1) - first};
  }
  /// The group of a level that has the place.
  constexpr std::size_t group_of(std::size_t level, std::size_t place) const {
    return static_cast<std::size_t>(((std::uint64_t{place} + 1) * groups_[level] - 1) / classes_);
  }
  /// The nodes that are a group's children.
  constexpr run children(std::size_t level, std::size_t group) const {
    if (level == levels_) return places(group);
    const std::size_t count = groups_[level + 1] / groups_[level];
    return {first_group(level + 1) + group * count, count};
  }
  /// Which child of its group of this level has the place.
  constexpr std::size_t child_of(std::size_t level, std::size_t place) const {
    const std::size_t group = group_of(level, place);
    if (level == levels_) return place - places(group).first;
    return group_of(level + 1, place) - group * (groups_[level + 1] / groups_[level]);
  }

 private:
  static constexpr std::size_t halvings_at_once = 4;

  /// The number of the first node of a level > 0.
  constexpr std::size_t first_group(std::size_t level) const {
    std::size_t first = classes_;
    for (std::size_t l = 1; l < level; ++l) first += groups_[l];
    return first;
  }

  std::size_t classes_, halvings_ = 0, levels_ = 0;
  std::array<std::size_t, 17> groups_{1};  ///< of each level
};

}  // namespace hogwild
