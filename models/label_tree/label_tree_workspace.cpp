// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/label_tree_workspace.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/memory/param_view.hpp>

namespace hogwild {
namespace {

/// log(1 + exp(x)), without overflow.
double softplus_of(float x) {
  return static_cast<double>(std::max(x, 0.0f) + vector_log1p(vector_exp(-std::abs(x))));
}

}  // namespace

label_tree_workspace::label_tree_workspace(const label_tree_shape& shape, std::size_t features, bool bias,
                                           std::size_t batch)
    : shape_(shape),
      features_(features),
      bias_(bias),
      labels_(shape.classes(), batch),
      entries_(std::max<std::size_t>(batch, 1)),
      weights_(entries_.size()),
      scores_(shape.most_children()),
      read_(scores_.size()),
      partials_(scores_.size()) {}

void label_tree_workspace::take(std::size_t k, const sparse_row<float>& z) {
  double squares = 0.0;
  for (const float x : z.value) squares += static_cast<double>(x) * static_cast<double>(x);
  const double scale = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
  std::vector<entry>& entries = entries_[k];
  entries.clear();
  for (const auto [j, x] : z)
    if (x != 0.0f) entries.push_back({j, static_cast<float>(static_cast<double>(x) * scale)});
  if (bias_) entries.push_back({features_, 1.0f});
  weights_[k] = z.weight;
  labels_.take(k, z);
}

void label_tree_workspace::arrange(std::span<const float> keys) {
  class_at_.resize(keys.size());
  std::iota(class_at_.begin(), class_at_.end(), 0u);
  std::ranges::stable_sort(class_at_, {}, [&](std::uint32_t c) { return keys[c]; });
  place_of_.resize(keys.size());
  for (std::size_t place = 0; place < class_at_.size(); ++place)
    place_of_[class_at_[place]] = static_cast<std::uint32_t>(place);
}

std::span<const std::uint32_t> label_tree_workspace::places_of(std::size_t k) {
  places_.clear();
  for (const std::uint32_t c : labels_.of(k)) places_.push_back(place_of_[c]);
  std::ranges::sort(places_);
  return places_;
}

void label_tree_workspace::begin_scores(std::size_t children) {
  children_ = children;
  std::fill_n(scores_.begin(), children, 0.0f);
}

void label_tree_workspace::add_weights(float x) {
  detail::add_scaled_run(scores_.data(), read_.data(), children_, x);
}

double label_tree_workspace::loss(std::size_t level, std::span<const std::uint32_t> places) const {
  double sum = 0.0;
  for (std::size_t c = 0; c < children_; ++c) sum += softplus_of(scores_[c]);
  for_children_with(level, places, [&](std::size_t c) { sum -= static_cast<double>(scores_[c]); });
  return sum;
}

void label_tree_workspace::derive(std::size_t level, std::span<const std::uint32_t> places, float part) {
  float* const s = scores_.data();
  for (std::size_t c = 0; c < children_; ++c) {
    const float small = vector_exp(-std::abs(s[c])), probable = 1.0f / (1.0f + small);
    s[c] = s[c] >= 0.0f ? probable : small * probable;
  }
  for_children_with(level, places, [&](std::size_t c) { s[c] -= 1.0f; });
  for (std::size_t c = 0; part != 1.0f && c < children_; ++c) s[c] *= part;
}

std::span<const float> label_tree_workspace::partials(float x) {
  for (std::size_t c = 0; c < children_; ++c) partials_[c] = x * scores_[c];
  return std::span(partials_).first(children_);
}

double label_tree_workspace::log_probability_of(std::size_t c, double log_probability) const {
  const double sum = log_probability - softplus_of(-scores_[c]);
  return std::isnan(sum) ? -std::numeric_limits<double>::infinity() : sum;
}

}  // namespace hogwild
