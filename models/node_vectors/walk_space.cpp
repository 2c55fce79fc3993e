// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/walk_space.hpp>

#include <algorithm>
#include <numeric>

#include <hogwild/detail/math/vector_math.hpp>

namespace hogwild {
namespace {

/// Nodes drawn for a walk, at least.
constexpr std::size_t least_contrasts = 48;

/// By how much a step of 1 may change a score (row_limit).
constexpr float most_change = 160.0f;

/// Writes for each of the nodes 1 / n, where n is how often it occurs. With such factors the sum of the gradients of
/// all occurrences is no larger a step than that of one, in a graph of few nodes, too.
void weigh_occurrences(const std::vector<std::uint32_t>& nodes, std::vector<std::uint32_t>& sorted, float* to) {
  sorted.assign(nodes.begin(), nodes.end());
  std::ranges::sort(sorted);
  std::fill_n(to, nodes.size(), 1.0f);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return;
  for (const std::uint32_t node : nodes) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), node);
    *to++ = 1.0f / static_cast<float>(last - first);
  }
}

}  // namespace

walk_space::walk_space(const walk_shape& shape, std::shared_ptr<const node_graph> graph, isa set, std::size_t batch)
    : shape_(shape),
      graph_(std::move(graph)),
      kernels_(embedding_kernels_of(set)),
      limit_{kernels_, shape.width, most_change},
      contrasts_(padded_to_lanes(std::max<std::size_t>(least_contrasts, shape.rule.length / 2))),
      products_(kernels_, shape.products, shape.width, shape.rule.length,
                padded_to_lanes(shape.rule.length) + contrasts_),
      walks_(batch) {
  const std::size_t length = shape.rule.length, places = padded_to_lanes(length), targets = places + contrasts_;
  for (lined_floats* const rows : {&sources_, &source_gradients_}) *rows = lined_floats(length * shape.width);
  for (lined_floats* const rows : {&targets_, &target_gradients_}) *rows = lined_floats(targets * shape.width);
  scores_ = lined_floats(length * targets);
  factor_ = lined_floats(targets);
  near_ = lined_floats(length + places);
  for (std::size_t d = 1; d <= std::min(shape.window, length - 1); ++d) {
    const float weight = static_cast<float>(shape.window - d + 1) / static_cast<float>(shape.window);
    near_.data()[length - 1 + d] = near_.data()[length - 1 - d] = weight;
  }
}

void walk_space::take(std::size_t k, const sparse_row<float>& z, const counter_random& random) {
  constexpr std::uint64_t behind_steps = std::uint64_t{1} << 32;  // a walk uses lower numbers
  walk& to = walks_[k];
  to.path.clear();
  if (z.size() == 0) return;
  graph_->walk(z.index[0], shape_.rule, random, to.path);
  to.contrast.clear();
  for (std::size_t j = 0; j < contrasts_; ++j) to.contrast.push_back(graph_->contrast(random.bits(behind_steps + j)));
}

bool walk_space::begin(const walk& of) {
  here_ = &of;
  const std::size_t n = of.path.size();
  if (n < 2) return false;
  path_targets_ = padded_to_lanes(n);
  targets_count_ = path_targets_ + contrasts_;
  weigh_occurrences(of.path, sorted_, factor_.data());
  std::ranges::fill(factor_.part(n, path_targets_ - n), 0.0f);
  std::ranges::fill(targets_.part(n * shape_.width, (path_targets_ - n) * shape_.width), 0.0f);
  const std::span<float> contrast = factor_.part(path_targets_, contrasts_);
  weigh_occurrences(of.contrast, sorted_, contrast.data());
  const float different = std::accumulate(contrast.begin(), contrast.end(), 0.0f);
  for (float& x : contrast) x /= different;
  return true;
}

void walk_space::score(bool trained) {
  products_.score(sources_.data(), here_->path.size(), targets_.data(), targets_count_, scores_.data(), trained);
}

float walk_space::contrast_weight(std::size_t i) const {
  float pairs = 0.0f;
  const std::size_t first = i - std::min(i, shape_.window), last = std::min(i + shape_.window + 1, here_->path.size());
  for (std::size_t j = first; j < last; ++j) pairs += near(i)[j] * std::min(factor_.data()[i], factor_.data()[j]);
  return pairs * shape_.negative;
}

double walk_space::loss() {
  score(false);
  double sum = 0.0;
  const float* const factor = factor_.data();
  for (std::size_t i = 0; i < here_->path.size(); ++i) {
    const std::span<const float> s = scores(i);
    for (std::size_t j = 0; j < here_->path.size(); ++j)
      if (near(i)[j] > 0.0f)
        sum += static_cast<double>(near(i)[j] * std::min(factor[i], factor[j])) * soft_plus(static_cast<double>(-s[j]));
    const float weight = contrast_weight(i);
    for (std::size_t j = path_targets_; j < targets_count_; ++j)
      sum += static_cast<double>(weight * factor[j]) * soft_plus(static_cast<double>(s[j]));
  }
  return sum;
}

void walk_space::differentiate() {
  score(true);
  const std::size_t n = here_->path.size(), targets = targets_count_;
  const float* const factor = factor_.data();
  for (std::size_t i = 0; i < n; ++i) {
    float* const s = scores(i).data();
    kernels_.logistic(s, targets, 0.0f, 1.0f);  // each score becomes its sigmoid
    const float* const pair = near(i);
    const float own = factor[i], weight = contrast_weight(i);
    for (std::size_t j = 0; j < path_targets_; ++j) s[j] = (s[j] - 1.0f) * (pair[j] * std::min(factor[j], own));
    for (std::size_t j = path_targets_; j < targets; ++j) s[j] *= weight * factor[j];
  }
  products_.differentiate(scores_.data(), sources_.data(), n, targets_.data(), targets, source_gradients_.data(),
                          target_gradients_.data());
  const float longest_source = limit_.longest(sources_.data(), n),
              longest_target = limit_.longest(targets_.data(), targets);
  for (std::size_t i = 0; i < n; ++i) limit_.apply(row(source_gradients_, i), longest_target);
  for (std::size_t j = 0; j < targets; ++j) limit_.apply(row(target_gradients_, j), longest_source);
}

}  // namespace hogwild
