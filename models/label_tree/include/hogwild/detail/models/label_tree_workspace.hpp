// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/models/example_labels.hpp>
#include <hogwild/detail/models/label_tree_shape.hpp>

namespace hogwild {

/// One worker's memory for a label tree; no other thread may use it at the same time.
class label_tree_workspace {
 public:
  struct entry {
    std::size_t column;
    float x;
  };

  /// For at most `batch` examples. With a `bias` each of them has one more entry: of value 1, in column `features`.
  label_tree_workspace(const label_tree_shape& shape, std::size_t features, bool bias, std::size_t batch);

  const label_tree_shape& shape() const { return shape_; }

  /// Takes a row as example k, scaled to length one.
  void take(std::size_t k, const sparse_row<float>& z);
  std::span<const entry> entries(std::size_t k) const { return entries_[k]; }
  float weight(std::size_t k) const { return weights_[k]; }

  /// Whether the places of classes are known; they never change.
  bool is_arranged() const { return !place_of_.empty(); }
  /// Classes take places by ascending keys; of equal keys the lower class comes first.
  void arrange(std::span<const float> keys);
  std::uint32_t class_at(std::size_t place) const { return class_at_[place]; }

  /// Calls f(level, group, places) for the root and each other group with a class of example k; `places`, those of its
  /// classes in the group, ascend.
  template <class F>
  void for_groups_of(std::size_t k, const F& f) {
    const std::span<const std::uint32_t> all = places_of(k);
    f(std::size_t{0}, std::size_t{0}, all);
    for (std::size_t level = 1; level <= shape_.last_level(); ++level) {
      for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
        const std::size_t group = shape_.group_of(level, all[first]);
        while (last < all.size() && shape_.group_of(level, all[last]) == group) ++last;
        f(level, group, all.subspan(first, last - first));
      }
    }
  }

  // Of the children of one group; all are valid until the next call of begin_scores().

  /// Sets the scores of so many children to 0.
  void begin_scores(std::size_t children);
  /// Room for the weights of one column.
  std::span<float> weights() { return std::span(read_).first(children_); }
  /// Adds x * weights() to the scores.
  void add_weights(float x);
  /// The sum over the children of log(1 + exp(-s)) for those that have one of these places below, and of log(1 +
  /// exp(s)) for the others.
  double loss(std::size_t level, std::span<const std::uint32_t> places) const;
  /// Replaces the scores by the derivatives of `part` times this loss.
  void derive(std::size_t level, std::span<const std::uint32_t> places, float part);
  /// x times the scores.
  std::span<const float> partials(float x);
  /// Adds to `log_probability` the logarithm of child c's probability, given that of its group.
  double log_probability_of(std::size_t c, double log_probability) const;

 private:
  /// Calls f(c) once for each child that has one of these places, which ascend.
  template <class F>
  void for_children_with(std::size_t level, std::span<const std::uint32_t> places, const F& f) const {
    std::size_t before = children_;
    for (const std::uint32_t place : places) {
      const std::size_t c = shape_.child_of(level, place);
      if (c != before) f(c);
      before = c;
    }
  }
  std::span<const std::uint32_t> places_of(std::size_t k);

  label_tree_shape shape_;
  std::size_t features_;
  bool bias_;
  example_labels labels_;
  std::vector<std::vector<entry>> entries_;
  std::vector<float> weights_;
  std::vector<std::uint32_t> place_of_, class_at_, places_;
  std::size_t children_ = 0;
  std::vector<float> scores_, read_, partials_;
};

}  // namespace hogwild
