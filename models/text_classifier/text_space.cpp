// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/text_space.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "embeddings/scaled_rows.hpp"

namespace hogwild {
namespace {

constexpr float absent = -std::numeric_limits<float>::infinity();

}  // namespace

text_space::text_space(std::size_t width, std::size_t columns, const softmax& of_labels, isa set, std::size_t batch)
    : width_(width),
      of_labels_(of_labels),
      padded_(padded_to_lanes(of_labels.classes)),
      kernels_(embedding_kernels_of(set)),
      limit_{kernels_, width, most_change},
      given_(of_labels.classes, batch),
      texts_(batch),
      sums_(batch * width),
      labels_(padded_ * width),
      gradients_(batch * width),
      label_gradients_(padded_ * width),
      text_panels_(batch * width),
      label_panels_(padded_ * width),
      scores_(batch * padded_),
      row_(width),
      probable_(padded_),
      column_changes_(columns) {}

void text_space::take(std::size_t k, const sparse_row<float>& z, const counter_random& random) {
  text& t = texts_[k];
  t.entries.clear();
  float all = 0.0f;
  for (const auto [column, x] : z) all += std::abs(x);
  for (const auto [column, x] : z)
    if (x != 0.0f) t.entries.push_back({column, x / all});
  given_.take(k, z);
  const std::size_t labels = given_.of(k).size();
  t.drawn = static_cast<std::uint32_t>(labels > 1 ? random.below(0, labels) : 0);
  t.weight = labels == 0 && !of_labels_.one_vs_rest ? 0.0f : z.weight;
}

void text_space::clear(std::size_t k) {
  std::ranges::fill(row_in(sums_, k), 0.0f);
}

void text_space::add_row(std::size_t k, float part) {
  kernels_.add_scaled(part, row_.data(), row_in(sums_, k).data(), width_);
}

void text_space::score(std::size_t n) {
  kernels_.columns_into_panels(labels_.data(), padded_, width_, label_panels_.data());
  kernels_.product(n, padded_, width_, sums_.data(), width_, 1, label_panels_.data(), scores_.data(), padded_, false);
}

void text_space::derive(std::size_t k) {
  const text& t = texts_[k];
  const std::span<float> s = scores(k);
  std::ranges::fill(s.subspan(of_labels_.classes), absent);
  if (of_labels_.one_vs_rest)
    kernels_.logistic(s.data(), padded_, 0.0f, 1.0f);
  else
    kernels_.softmax(s.data(), padded_, absent);
  const std::span<const std::uint32_t> given = given_.of(k);
  if (of_labels_.one_vs_rest)
    for (const std::uint32_t label : given) s[label] -= 1.0f;
  else if (!given.empty())
    s[given[t.drawn]] -= 1.0f;
  multiply(s, t.weight);
}

void text_space::limit(std::size_t n) {
  const float longest_text = limit_.longest(sums_.data(), n),
              longest_label = limit_.longest(labels_.data(), of_labels_.classes);
  for (std::size_t l = 0; l < of_labels_.classes; ++l) limit_.apply(row_in(label_gradients_, l), longest_text);
  for (std::size_t k = 0; k < n; ++k)
    for (const entry& e : texts_[k].entries) column_changes_[e.column] = 0.0f;
  for (std::size_t k = 0; k < n; ++k) {
    const float change = limit_.length(row_in(gradients_, k).data()) * longest_label;
    for (const entry& e : texts_[k].entries) column_changes_[e.column] += std::abs(e.part) * change;
  }
}

void text_space::differentiate(std::size_t n) {
  score(n);
  for (std::size_t label = 0; label < padded_; ++label)
    kernels_.into_panels(labels_.data() + label * width_, width_, label, padded_, label_panels_.data());
  for (std::size_t k = 0; k < n; ++k) {
    derive(k);
    kernels_.into_panels(sums_.data() + k * width_, width_, k, n, text_panels_.data());
  }
  kernels_.product(n, width_, padded_, scores_.data(), padded_, 1, label_panels_.data(), gradients_.data(), width_,
                   false);
  kernels_.product(padded_, width_, n, scores_.data(), 1, padded_, text_panels_.data(), label_gradients_.data(), width_,
                   false);
  limit(n);
  scaled_.reset();
}

std::span<const float> text_space::row_gradient(std::size_t k, const entry& of) {
  const float factor = of.part * limit_.factor(column_changes_[of.column]);
  if (scaled_ != std::pair(k, factor)) {
    std::ranges::fill(row(), 0.0f);
    kernels_.add_scaled(factor, row_in(gradients_, k).data(), row_.data(), width_);
    scaled_.emplace(k, factor);
  }
  return row();
}

row_score text_space::softmax_loss(std::size_t k) {
  const std::span<float> s = scores(k);
  std::ranges::fill(s.subspan(of_labels_.classes), absent);
  std::ranges::copy(s, probable_.data());
  kernels_.softmax(probable_.data(), padded_, absent);
  const auto best = static_cast<std::size_t>(std::ranges::max_element(s) - s.begin());
  const std::span<const std::uint32_t> given = given_.of(k);
  double below = 0.0;
  for (const std::uint32_t y : given) below += static_cast<double>(s[best] - s[y]);
  const double loss = below / static_cast<double>(given.size()) - std::log(static_cast<double>(probable_.data()[best]));
  return {given.empty() ? 0.0 : loss, static_cast<float>(best)};
}

void text_space::losses(std::size_t n, std::span<row_score> to, std::span<float> of_classes) {
  score(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<const float> s = scores(k).first(of_labels_.classes);
    to[k] = of_labels_.one_vs_rest ? of_labels_.measured(s.data(), given_.of(k)) : softmax_loss(k);
    if (!of_classes.empty()) std::ranges::copy(s, of_classes.begin() + static_cast<std::ptrdiff_t>(k * s.size()));
  }
}

}  // namespace hogwild
