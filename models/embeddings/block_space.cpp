// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/block_space.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "embeddings/scaled_rows.hpp"

namespace hogwild {

block_space::block_space(const block_scoring& scoring, isa set, std::size_t sources)
    : scoring_(scoring),
      kernels_(embedding_kernels_of(set)),
      padded_(padded_to_lanes(scoring.targets)),
      sources_(sources * scoring.width),
      positives_(sources * scoring.width),
      targets_(padded_ * scoring.width),
      source_gradients_(sources * scoring.width),
      positive_gradients_(sources * scoring.width),
      target_gradients_(padded_ * scoring.width),
      products_(kernels_, scoring.products, scoring.width, sources, padded_),
      scores_(sources * padded_),
      added_(padded_),
      positive_bias_(sources),
      target_bias_(scoring.targets),
      lift_(scoring.targets),
      weight_(sources),
      positive_score_(sources),
      positive_slope_(sources),
      target_bias_slope_(padded_),
      target_squares_(padded_),
      inverse_distances_(scoring.distance ? sources * padded_ : 0),
      source_pull_(sources),
      target_pull_(padded_),
      source_inverse_(sources),
      positive_inverse_(sources),
      target_inverse_(padded_),
      missing_(sources) {
  begin();
}

void block_space::begin() {
  std::ranges::fill(lift_, 0.0f);
  std::ranges::fill(weight_, 1.0f);
  left_out_.clear();
}

void block_space::divide_by_lengths(lined_floats& rows, std::size_t n, std::vector<float>& inverse) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<float> r = row(rows, i);
    const float square = kernels_.dot(r.data(), r.data(), r.size());
    inverse[i] = square > 0.0f ? 1.0f / std::sqrt(square) : 1.0f;
    for (float& x : r) x *= inverse[i];
  }
}

void block_space::through_division(const lined_floats& divided, lined_floats& gradients, std::size_t n,
                                   const std::vector<float>& inverse) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<float> g = row(gradients, i);
    const float* const unit = divided.data() + i * scoring_.width;
    const float along = kernels_.dot(g.data(), unit, g.size());
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = (g[k] - along * unit[k]) * inverse[i];
  }
}

void block_space::score_by_distance(std::size_t i) {
  const std::span<const float> q = source(i), t = positive(i);
  kernels_.distances(scores(i).data(), padded_, kernels_.dot(q.data(), q.data(), q.size()), target_squares_.data(),
                     scoring_.from, inverse_distances_.part(i * padded_, padded_).data());
  const float distance = std::sqrt(std::max(kernels_.square_of_difference(q.data(), t.data(), q.size()), 1e-30f));
  positive_inverse_[i] = 1.0f / distance;
  positive_score_[i] = scoring_.from - distance;
}

void block_space::add_distance_gradients(std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const float> q = source(i), t = positive(i);
    const std::span<float> of_source = row(source_gradients_, i), of_positive = row(positive_gradients_, i);
    kernels_.add_scaled(-source_pull_.data()[i], q.data(), of_source.data(), q.size());
    const float slope = positive_slope_[i] / scoring_.temperature * positive_inverse_[i];
    for (std::size_t k = 0; k < q.size(); ++k) {
      const float pull = slope * (t[k] - q[k]);
      of_source[k] += pull;
      of_positive[k] = -pull;
    }
  }
  for (std::size_t j = 0; j < scoring_.targets; ++j)
    kernels_.add_scaled(-target_pull_.data()[j], target(j).data(), row(target_gradients_, j).data(), scoring_.width);
}

void block_space::score(std::size_t n, bool trained) {
  const std::size_t width = scoring_.width;
  if (scoring_.cosine) {
    divide_by_lengths(sources_, n, source_inverse_);
    divide_by_lengths(positives_, n, positive_inverse_);
    divide_by_lengths(targets_, scoring_.targets, target_inverse_);
  }
  const float divided = 1.0f / scoring_.temperature;
  products_.score(sources_.data(), n, targets_.data(), padded_, scores_.data(), trained);

  constexpr float nothing = -std::numeric_limits<float>::infinity();
  for (std::size_t j = 0; j < padded_; ++j)
    added_.data()[j] = j < scoring_.targets ? lift_[j] + (scoring_.bias ? target_bias_[j] : 0.0f) : nothing;
  if (scoring_.distance)
    for (std::size_t j = 0; j < padded_; ++j)
      target_squares_.data()[j] = kernels_.dot(target(j).data(), target(j).data(), width);
  for (std::size_t i = 0; i < n; ++i) {
    if (scoring_.distance)
      score_by_distance(i);
    else
      positive_score_[i] = kernels_.dot(source(i).data(), positive(i).data(), width);
    float* const s = scores(i).data();
    const float* const added = added_.data();
    for (std::size_t j = 0; j < padded_; ++j) s[j] = s[j] * divided + added[j];
    positive_score_[i] = positive_score_[i] * divided + (scoring_.bias ? positive_bias_[i] : 0.0f);
  }
  const auto absent = std::count(added_.data(), added_.data() + scoring_.targets, nothing);
  std::fill_n(missing_.begin(), n, static_cast<std::size_t>(absent));
  for (const auto& [i, j] : left_out_) {
    float& s = scores(i)[j];
    if (s != nothing) ++missing_[i];
    s = nothing;
  }
}

void block_space::differentiate(std::size_t n) {
  score(n, true);
  const std::size_t width = scoring_.width;
  const float divided = 1.0f / scoring_.temperature;
  std::ranges::fill(target_bias_slope_, 0.0f);
  std::fill_n(target_pull_.data(), padded_, 0.0f);
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<float> s = scores(i);
    positive_slope_[i] = scoring_.loss.derive(kernels_, s, counted(i), positive_score_[i]) * weight_[i];
    multiply(s, weight_[i]);
    if (scoring_.bias) kernels_.add_scaled(1.0f, s.data(), target_bias_slope_.data(), padded_);
    multiply(s, divided);
    if (scoring_.distance) {
      const float* const inverse = inverse_distances_.data() + i * padded_;
      source_pull_.data()[i] = kernels_.dot(s.data(), inverse, padded_);
      for (std::size_t j = 0; j < padded_; ++j) s[j] *= inverse[j];
      kernels_.add_scaled(1.0f, s.data(), target_pull_.data(), padded_);
    }
  }
  products_.differentiate(scores_.data(), sources_.data(), n, targets_.data(), padded_, source_gradients_.data(),
                          target_gradients_.data());
  if (scoring_.distance) return add_distance_gradients(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float slope = positive_slope_[i] * divided;
    kernels_.add_scaled(slope, positive(i).data(), row(source_gradients_, i).data(), width);
    std::ranges::fill(row(positive_gradients_, i), 0.0f);
    kernels_.add_scaled(slope, source(i).data(), row(positive_gradients_, i).data(), width);
  }
  if (!scoring_.cosine) return;
  through_division(sources_, source_gradients_, n, source_inverse_);
  through_division(positives_, positive_gradients_, n, positive_inverse_);
  through_division(targets_, target_gradients_, scoring_.targets, target_inverse_);
}

void block_space::losses(std::size_t n, std::span<double> to) {
  score(n, false);
  for (std::size_t i = 0; i < n; ++i) to[i] = scoring_.loss.loss(scores(i), counted(i), positive_score_[i]);
}

}  // namespace hogwild
