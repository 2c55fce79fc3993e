// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/math/schedule.hpp>
#include <hogwild/detail/model/quiet_reader.hpp>
#include <hogwild/detail/models/class_order.hpp>
#include <hogwild/detail/models/label_tree_shape.hpp>
#include <hogwild/detail/models/label_tree_workspace.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/error.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A probabilistic label tree (Jasinska and others, Extreme F-measure maximization using sparse probability estimates,
/// 2016) of rows with one class or a list of them. Similar classes share groups of a tree (label_tree_shape.hpp,
/// class_order.hpp). Node v says with the probability 1 / (1 + exp(-s_v)), s_v = W_v . x + b_v, whether a row x whose
/// classes are among those of v's parent has classes of v itself; rows are scaled to length one. A class has the
/// product of the probabilities on its path. The loss of a row is the sum over the children of the root, and of every
/// other group with a class of the row, of log(1 + exp(-s_v)) if v has one, too, and of log(1 + exp(s_v)) if it has
/// not. So a row reads and changes the weights of those children only.
///
/// A column's weights for all nodes are adjacent, so those for the children of a group are. l2 applies by occurrence,
/// to the weights that a row changes. The last parameters are a number for each class, which never change: classes take
/// the places of the tree in their order, so the parameters contain the tree.
struct label_tree {
  using scalar_type = float;
  using workspace = label_tree_workspace;
  static constexpr std::string_view name = "label_tree";
  using library_model = label_tree;
  static constexpr label_kind labels = label_kind::classes;
  static constexpr bool takes_lists = true;
  static constexpr bool takes_weights = true;
  static constexpr training_defaults defaults = {
      .step = 1.5, .schedule = schedule_kind::linear, .batch = 1, .form = l2_form::per_occurrence};
  static constexpr std::size_t epochs = 8;  ///< unless others are asked for
  static constexpr std::size_t measured_rows = 1'000;
  static constexpr sharing_kind sharing = sharing_kind::direct;

  std::size_t features = 0;  ///< columns that occur in the training data
  std::size_t classes = 2;   ///< at least 2
  std::size_t leaves = 256;  ///< most classes of a group of the last level; at least 2
  bool bias = true;          ///< whether nodes have b_v

  /// The tree without its classes.
  constexpr label_tree_shape shape() const { return {classes, leaves}; }
  std::size_t dim() const { return (features + (bias ? 1 : 0)) * shape().nodes() + classes; }

  std::array<double, 1> hyperparameters() const { return {static_cast<double>(leaves)}; }
  /// The loss of a row's classes, for records.
  std::string_view class_loss() const { return name; }
  std::array<parameter_group, 3> groups() const {
    const std::size_t width = shape().nodes();
    return {{{.name = "weights", .offset = 0, .rows = features, .width = width},
             {.name = "bias",
              .offset = features * width,
              .rows = bias ? 1u : 0u,
              .width = width,
              .hot_first = false,
              .l2 = false},
             {.name = "classes.order",
              .offset = dim() - classes,
              .rows = classes,
              .width = 1,
              .hot_first = false,
              .l2 = false}}};
  }

  /// Throws config_error for too few classes or leaves.
  void require_data(const sparse_view&, std::string_view) const {
    if (classes < 2) throw config_error("label_tree needs at least two classes");
    if (leaves < 2) throw config_error("the lowest groups of a label tree have at least two leaves");
  }

  /// Without labels, or with those of other classes, classes take places by their numbers.
  void init(const param_view<float>& w, const counter_random&, const sparse_view& rows = {},
            const label_map& of = {}) const {
    const bool known = of.classes() == classes;
    const std::vector<std::uint32_t> order = known ? class_order(rows, of, shape()) : std::vector<std::uint32_t>{};
    for (std::size_t place = 0; place < classes; ++place)
      w.store(dim() - classes + (known ? order[place] : place), static_cast<float>(place));
  }

  workspace make_workspace(const sparse_view&, isa, std::size_t batch) const {
    return {shape(), features, bias, batch};
  }
  void take(workspace& space, std::size_t k, const sparse_row<float>& z, const counter_random&) const {
    space.take(k, z);
  }

  void gradient(const auto& w, workspace& space, std::size_t n, const auto& emit) const {
    arrange(w, space);
    const std::size_t width = space.shape().nodes();
    for (std::size_t k = 0; k < n; ++k) {
      const float part = space.weight(k) / static_cast<float>(n);
      if (part == 0.0f) continue;
      space.for_groups_of(k, [&](std::size_t level, std::size_t group, std::span<const std::uint32_t> places) {
        const std::size_t first = score_children(w, space, k, level, group).first;
        space.derive(level, places, part);
        for (const auto [column, x] : space.entries(k)) emit.block(column * width + first, space.partials(x));
      });
    }
  }

  /// The sum of the squares of the weights that example k changes.
  double squares_touched(std::span<const float> w, workspace& space, std::size_t k) const {
    double sum = 0.0;
    if (space.weight(k) == 0.0f) return sum;
    arrange(detail::quiet_reader<>{w}, space);
    const std::size_t width = space.shape().nodes();
    space.for_groups_of(k, [&](std::size_t level, std::size_t group, auto) {
      const label_tree_shape::run run = space.shape().children(level, group);
      for (const auto [column, x] : space.entries(k)) {
        if (column == features) continue;
        for (const float v : w.subspan(column * width + run.first, run.count))
          sum += static_cast<double>(v) * static_cast<double>(v);
      }
    });
    return sum;
  }

  /// The score of an example is its most probable class. If of_classes has room, of_classes[k * classes + c] becomes
  /// the logarithm of the probability that example k has class c, for the `most` best classes and all whose probability
  /// is above one half; for others the lowest number.
  void score(const auto& w, workspace& space, std::size_t n, std::span<row_score> scores,
             std::span<float> of_classes = {}, std::size_t most = 5) const {
    arrange(w, space);
    for (std::size_t k = 0; k < n; ++k) {
      double loss = 0.0;
      space.for_groups_of(k, [&](std::size_t level, std::size_t group, std::span<const std::uint32_t> places) {
        score_children(w, space, k, level, group);
        loss += space.loss(level, places);
      });
      const std::vector<found_class> best = best_classes_of(w, space, k, of_classes.empty() ? 1 : most);
      scores[k] = {loss, static_cast<float>(best.front().number)};
      if (of_classes.empty()) continue;
      const std::span<float> room = of_classes.subspan(k * classes, classes);
      std::ranges::fill(room, std::numeric_limits<float>::lowest());
      for (const found_class& found : best) room[found.number] = static_cast<float>(found.log_probability);
    }
  }

  /// The threshold above which a class is predicted for a row: a probability of one half.
  float decision(std::span<const float>) const { return log_half; }

 private:
  static constexpr float log_half = -0.693147181f;

  struct found_class {
    std::uint32_t number;
    double log_probability;
  };
  /// A group, or behind the last level a place.
  struct reached {
    double log_probability;
    std::size_t level, number;
    bool operator<(const reached& other) const { return log_probability < other.log_probability; }
  };

  void arrange(const auto& w, workspace& space) const {
    if (space.is_arranged()) return;
    std::vector<float> keys(classes);
    w.block(dim() - classes, classes).copy_to(std::span(keys));
    space.arrange(keys);
  }

  /// Computes the scores of a group's children for example k; returns their nodes.
  label_tree_shape::run score_children(const auto& w, workspace& space, std::size_t k, std::size_t level,
                                       std::size_t group) const {
    const label_tree_shape::run run = space.shape().children(level, group);
    const std::size_t width = space.shape().nodes();
    space.begin_scores(run.count);
    for (const auto [column, x] : space.entries(k)) {
      w.block(column * width + run.first, run.count).copy_to(space.weights());
      space.add_weights(x);
    }
    return run;
  }

  /// The `most` best classes of example k and all that are more probable than not, the best first; of equal ones the
  /// lower number's comes first. Looks at the most probable node first. No node is more probable than the one above it,
  /// so nothing better is left when so many classes have come.
  std::vector<found_class> best_classes_of(const auto& w, workspace& space, std::size_t k, std::size_t most) const {
    most = std::max<std::size_t>(most, 1);
    std::vector<found_class> found;
    std::priority_queue<reached> next;
    next.push({0.0, 0, 0});
    for (; !next.empty();) {
      const reached top = next.top();
      if (found.size() >= most && top.log_probability < found[most - 1].log_probability &&
          top.log_probability <= static_cast<double>(log_half))
        break;
      next.pop();
      if (top.level > space.shape().last_level()) {
        found.push_back({space.class_at(top.number), top.log_probability});
        continue;
      }
      const label_tree_shape::run run = score_children(w, space, k, top.level, top.number);
      const std::size_t first = top.level == space.shape().last_level() ? run.first : top.number * run.count;
      for (std::size_t c = 0; c < run.count; ++c)
        next.push({space.log_probability_of(c, top.log_probability), top.level + 1, first + c});
    }
    std::ranges::sort(found, [](const found_class& a, const found_class& b) {
      return a.log_probability > b.log_probability || (a.log_probability == b.log_probability && a.number < b.number);
    });
    while (found.size() > most && found.back().log_probability <= static_cast<double>(log_half)) found.pop_back();
    return found;
  }
};

}  // namespace hogwild
