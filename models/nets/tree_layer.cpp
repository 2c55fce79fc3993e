// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/tree_layer.hpp>

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "nets/row_products.hpp"

namespace hogwild {
namespace {

/// log(1 + exp(x)), without overflow.
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

tree_layer::tree_layer(std::size_t classes, std::size_t inputs, std::size_t batch, std::size_t rows)
    : classes_(classes),
      inputs_(inputs),
      rows_(rows),
      slots_(classes - 1, inputs),
      labels_(classes, batch),
      h_(inputs),
      partials_(inputs),
      node_(inputs) {}

void tree_layer::grow(std::span<const float> counts) {
  std::vector<std::uint64_t> rows(counts.size());
  std::ranges::transform(counts, rows.begin(), [](float n) {
    return static_cast<std::uint64_t>(std::clamp(std::nearbyint(n), 0.0f, static_cast<float>(most_rows)));
  });
  tree_ = huffman_tree(rows);

  const std::size_t nodes = classes_ - 1;
  below_.assign(nodes, {});
  std::vector<double> weight(nodes);
  double all = 0.0;
  for (std::size_t c = 0; c < classes_; ++c) {
    const std::span<const std::uint32_t> path = tree_.nodes(c);
    all += static_cast<double>(rows[c]);
    for (std::size_t k = 0; k < path.size(); ++k) {
      below_[path[k]][tree_.bits(c)[k]] = k + 1 < path.size() ? path[k + 1] : static_cast<std::uint32_t>(nodes + c);
      weight[path[k]] += static_cast<double>(rows[c]);
    }
  }
  // A node of no row is taken to have a part of one, for other rows may lead there.
  log_left_out_.resize(nodes);
  std::ranges::transform(weight, log_left_out_.begin(),
                         [&](double w) { return static_cast<float>(std::log1p(-std::max(w, 0.5) / (all + 1.0))); });
}

void tree_layer::gather(std::size_t n) {
  batch_rows_ = n;
  batch_labels_ = labels_.count(n);
  slots_.clear();
  for (std::size_t k = 0; k < n; ++k)
    for (const std::uint32_t c : labels_.of(k))
      for (const std::uint32_t node : tree_.nodes(c)) slots_.give(node);
  slots_.begin();
}

float tree_layer::chance(std::size_t slot) const {
  return -std::expm1(static_cast<float>(batch_labels_) * log_left_out_[slots_.rows()[slot]]);
}

void tree_layer::take_example(const net_outputs& at, std::size_t lane) {
  for (std::size_t v = 0; v < inputs_; ++v) h_[v] = at.values[v * rows_ + lane];
}

void tree_layer::differentiate(const net_outputs& at) {
  std::fill_n(at.partials, inputs_ * rows_, 0.0f);
  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::span<const std::uint32_t> given = labels_.of(at.first + l);
    const float part = 1.0f / static_cast<float>(batch_rows_ * given.size());
    take_example(at, l);
    std::ranges::fill(partials_, 0.0f);
    for (const std::uint32_t c : given) differentiate_path(c, part);
    for (std::size_t v = 0; v < inputs_; ++v) at.partials[v * rows_ + l] = partials_[v];
  }
}

void tree_layer::differentiate_path(std::uint32_t c, float part) {
  const std::span<const std::uint8_t> bits = tree_.bits(c);
  for (std::size_t k = 0; k < bits.size(); ++k) {
    const std::size_t slot = slots_.of(tree_.nodes(c)[k]);
    const std::span<const float> w = slots_.weights(slot);
    const float s = detail::dot_of(w.data(), h_.data(), inputs_) + slots_.bias(slot);
    const float heavier = 1.0f / (1.0f + std::exp(-s));
    const float slope = (bits[k] == 0 ? heavier - 1.0f : heavier) * part;
    detail::add_times(slots_.partials(slot).data(), h_.data(), slope, inputs_);
    slots_.bias_partials()[slot] += slope;
    detail::add_times(partials_.data(), w.data(), slope, inputs_);
  }
}

double tree_layer::step_score(const node_reader& read, std::size_t node) {
  const float bias = read(node, node_);
  return static_cast<double>(detail::dot_of(node_.data(), h_.data(), inputs_) + bias);
}

// What lies below a node is no more probable than the node.
float tree_layer::best_class(const node_reader& read) {
  using reached = std::pair<double, std::uint32_t>;  // the logarithm of a probability, and what has it
  std::priority_queue<reached> best;
  best.emplace(0.0, 0);
  while (best.top().second < below_.size()) {
    const auto [log_probability, node] = best.top();
    best.pop();
    const double s = step_score(read, node);
    best.emplace(log_probability - softplus(-s), below_[node][0]);
    best.emplace(log_probability - softplus(s), below_[node][1]);
  }
  return static_cast<float>(best.top().second - below_.size());
}

void tree_layer::score(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
                       std::span<row_score> scores) {
  for (std::size_t l = 0; l < at.examples && !stopping(); ++l) {
    const std::span<const std::uint32_t> given = labels_.of(at.first + l);
    take_example(at, l);
    double loss = 0.0;
    for (const std::uint32_t c : given) {
      for (std::size_t k = 0; k < tree_.nodes(c).size(); ++k) {
        const double s = step_score(read, tree_.nodes(c)[k]);
        loss += softplus(tree_.bits(c)[k] == 0 ? -s : s);
      }
    }
    scores[at.first + l] = {loss / static_cast<double>(given.size()), best_class(read)};
  }
}

// A parent's number is lower than its children's.
void tree_layer::score_classes(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
                               std::span<float> of_classes) {
  std::vector<double> log_probability(below_.size() + classes_);
  for (std::size_t l = 0; l < at.examples && !stopping(); ++l) {
    take_example(at, l);
    for (std::size_t node = 0; node < below_.size(); ++node) {
      const double s = step_score(read, node);
      log_probability[below_[node][0]] = log_probability[node] - softplus(-s);
      log_probability[below_[node][1]] = log_probability[node] - softplus(s);
    }
    const std::span<float> to = of_classes.subspan((at.first + l) * classes_, classes_);
    for (std::size_t c = 0; c < classes_; ++c) to[c] = static_cast<float>(log_probability[below_.size() + c]);
  }
}

}  // namespace hogwild
