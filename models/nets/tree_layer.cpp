// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/tree_layer.hpp>

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include <hogwild/detail/math/vector_math.hpp>

#include "nets/row_products.hpp"

namespace hogwild {
namespace {

/// For each lane the logarithms of the probabilities of both children, which add log(1 / (1 + exp(-s))) and log(1 / (1
/// + exp(s))) to `before`. With t = e / (2 + e), e = exp(-|s|), log(1 + e) is 2 artanh(t) = 2 t (1 + t^2 / 3 + t^4 / 5
/// + ...), t <= 1/3; its first eight terms reach single precision.
void log_ways(const float* __restrict s, const float* __restrict before, float* __restrict heavier,
              float* __restrict lighter, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const float size = std::abs(s[l]), small = vector_exp(-size), t = small / (2.0f + small), x = t * t;
    const float upper = 1.0f / 9.0f + x * (1.0f / 11.0f + x * (1.0f / 13.0f + x * (1.0f / 15.0f)));
    const float series = 1.0f + x * (1.0f / 3.0f + x * (1.0f / 5.0f + x * (1.0f / 7.0f + x * upper)));
    const float likelier = before[l] - 2.0f * t * series;
    heavier[l] = likelier + 0.5f * (s[l] - size);
    lighter[l] = likelier - 0.5f * (s[l] + size);
  }
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
  // A node without rows counts as one with half a row, because other rows may lead there.
  log_left_out_.resize(nodes);
  std::ranges::transform(weight, log_left_out_.begin(),
                         [&](double w) { return static_cast<float>(std::log1p(-std::max(w, 0.5) / (all + 1.0))); });
}

void tree_layer::gather(std::size_t n) {
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
    if (given.empty()) continue;  // it has no path
    const float part = at.part[l] / static_cast<float>(given.size());
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

// A node's descendants are no more probable than the node.
float tree_layer::best_class(const node_reader& read) {
  using reached = std::pair<double, std::uint32_t>;  // the logarithm of a probability, and its node
  std::priority_queue<reached> best;
  best.emplace(0.0, 0);
  while (best.top().second < below_.size()) {
    const auto [log_probability, node] = best.top();
    best.pop();
    const double s = step_score(read, node);
    best.emplace(log_probability - soft_plus(-s), below_[node][0]);
    best.emplace(log_probability - soft_plus(s), below_[node][1]);
  }
  return static_cast<float>(best.top().second - below_.size());
}

// Depth first, so that at most the nodes of a path wait, with a run of lanes each.
void tree_layer::score_classes(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
                               std::span<float> of_classes) {
  struct waiting {
    std::uint32_t node;
    std::vector<float> log_probability;
  };
  std::vector<waiting> next;
  next.push_back({0, std::vector<float>(rows_)});
  std::vector<float> s(rows_);
  std::array<std::vector<float>, 2> log_ways_on{std::vector<float>(rows_), std::vector<float>(rows_)};
  while (!next.empty() && !stopping()) {
    const waiting from = std::move(next.back());
    next.pop_back();
    std::ranges::fill(s, read(from.node, node_));
    for (std::size_t v = 0; v < inputs_; ++v) detail::add_times(s.data(), at.values + v * rows_, node_[v], rows_);
    log_ways(s.data(), from.log_probability.data(), log_ways_on[0].data(), log_ways_on[1].data(), rows_);
    for (std::size_t way = 0; way < 2; ++way) {
      const std::uint32_t to = below_[from.node][way];
      if (to < below_.size()) {
        next.push_back({to, log_ways_on[way]});
        continue;
      }
      for (std::size_t l = 0; l < at.examples; ++l)
        of_classes[(at.first + l) * classes_ + to - below_.size()] = log_ways_on[way][l];
    }
  }
}

void tree_layer::score(const net_outputs& at, const node_reader& read, const std::function<bool()>& stopping,
                       std::span<row_score> scores, std::span<float> of_classes) {
  if (!of_classes.empty()) score_classes(at, read, stopping, of_classes);
  for (std::size_t l = 0; l < at.examples && !stopping(); ++l) {
    const std::size_t k = at.first + l;
    const std::span<const std::uint32_t> given = labels_.of(k);
    take_example(at, l);
    double loss = 0.0;
    for (const std::uint32_t c : given) {
      for (std::size_t i = 0; i < tree_.nodes(c).size(); ++i) {
        const double s = step_score(read, tree_.nodes(c)[i]);
        loss += soft_plus(tree_.bits(c)[i] == 0 ? -s : s);
      }
    }
    scores[k].loss = given.empty() ? 0.0 : loss / static_cast<double>(given.size());
    if (of_classes.empty()) {
      scores[k].score = best_class(read);
    } else {
      const std::span<const float> said = of_classes.subspan(k * classes_, classes_);
      scores[k].score = static_cast<float>(std::ranges::max_element(said) - said.begin());
    }
  }
}

}  // namespace hogwild
