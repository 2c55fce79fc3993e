// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/sampled_layer.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <hogwild/detail/optimization/random.hpp>

#include "nets/row_products.hpp"

namespace hogwild {
namespace {

/// Weights that are read at a time when all classes are scored: half of a second-level cache.
constexpr std::size_t numbers_at_once = std::size_t{1} << 17;

/// Of a class that a row does not see: far below any other, and finite, so that differences are numbers.
constexpr float unseen = -1e30f;

/// top and which become the larger score of a lane and its class where `scores` has one.
void take_larger(const float* __restrict scores, float number, float* __restrict top, float* __restrict which,
                 std::size_t rows) {
  for (std::size_t l = 0; l < rows; ++l) {
    which[l] = scores[l] > top[l] ? number : which[l];
    top[l] = scores[l] > top[l] ? scores[l] : top[l];
  }
}

}  // namespace

sampled_layer::sampled_layer(class_sampler sampler, std::size_t inputs, isa set, std::size_t batch, std::size_t rows)
    : sampler_(std::move(sampler)),
      inputs_(inputs),
      rows_(rows),
      together_(std::clamp<std::size_t>(numbers_at_once / inputs, 1, sampler_.classes())),
      kernels_(layer_kernels_of(set)),
      slots_(sampler_.classes(), inputs),
      label_(std::max<std::size_t>(batch, 1)),
      bits_(label_.size()) {
  const std::size_t scored = std::max(std::min(sampler_.draws(), sampler_.classes()), together_) + 1;
  memory_ = private_memory((scored + 4 + inputs_) * rows_ * sizeof(float));
  float* at = reinterpret_cast<float*>(memory_.base());
  for (float** const lanes : {&example_weight_, &own_, &loss_, &best_}) *lanes = std::exchange(at, at + rows_);
  scores_ = std::exchange(at, at + scored * rows_);
  by_example_ = at;
  if (!takes_all()) return;
  for (std::uint32_t c = 0; c < sampler_.classes(); ++c) slots_.give(c);
}

void sampled_layer::take(std::size_t k, float label, std::uint64_t bits) {
  const bool known = label >= 0.0f && label < static_cast<float>(sampler_.classes());  // rows to predict have none
  label_[k] = known ? static_cast<std::uint32_t>(label) : 0, bits_[k] = bits;
}

void sampled_layer::gather(std::size_t n) {
  labels_of_batch_ = n;
  if (!takes_all()) {
    slots_.clear();
    const counter_random random(bits_[0], n);
    for (std::size_t i = 0; i < sampler_.draws(); ++i) slots_.give(sampler_.draw(random.bits(i)));
  }
  sampled_ = slots_.size();
  for (std::size_t k = 0; k < n; ++k) slots_.give(label_[k]);
  slots_.begin();
}

void sampled_layer::score_sample(const net_outputs& at) {
  kernels_.dense_input(rows_, sampled_, inputs_, slots_.weights().data(), at.values, scores_);
  for (std::size_t s = 0; s < sampled_; ++s) {
    const float more = slots_.bias(s) - sampler_.log_chance(slots_.rows()[s]);
    for (float& score : std::span(scores_of(s), rows_)) score += more;
  }
  std::fill_n(scores_of(sampled_), rows_, 0.0f);
  for (std::size_t l = 0; l < at.examples; ++l) {
    float* const h = by_example_ + l * inputs_;
    for (std::size_t v = 0; v < inputs_; ++v) h[v] = at.values[v * rows_ + l];
    const std::size_t own = slots_.of(label_[at.first + l]);
    scores_of(sampled_)[l] = detail::dot_of(h, slots_.weights(own).data(), inputs_) + slots_.bias(own);
    if (own < sampled_) scores_of(own)[l] = unseen;
  }
}

void sampled_layer::differentiate(const net_outputs& at) {
  score_sample(at);
  std::fill_n(own_, rows_, static_cast<float>(sampled_));
  std::fill_n(example_weight_, at.examples, 1.0f / static_cast<float>(labels_of_batch_));
  std::fill_n(example_weight_ + at.examples, rows_ - at.examples, 0.0f);
  kernels_.log_softmax(rows_, sampled_ + 1, own_, scores_, loss_, best_);
  kernels_.log_softmax_input(rows_, sampled_ + 1, own_, example_weight_, scores_, scores_);
  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::size_t own = slots_.of(label_[at.first + l]);
    if (own < sampled_) scores_of(own)[l] = 0.0f;  // a kernel's exp(unseen) may be the least number there is
  }

  kernels_.dense_weights(rows_, sampled_, inputs_, scores_, at.values, slots_.partials().data(), nullptr);
  for (std::size_t s = 0; s < sampled_; ++s)
    for (const float partial : std::span(scores_of(s), rows_)) slots_.bias_partials()[s] += partial;
  std::fill_n(at.partials, inputs_ * rows_, 0.0f);
  kernels_.dense(rows_, sampled_, inputs_, slots_.weights().data(), nullptr, scores_, at.partials);

  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::size_t own = slots_.of(label_[at.first + l]);
    const float slope = scores_of(sampled_)[l];
    detail::add_times(slots_.partials(own).data(), by_example_ + l * inputs_, slope, inputs_);
    slots_.bias_partials()[own] += slope;
    const float* const w = slots_.weights(own).data();
    for (std::size_t v = 0; v < inputs_; ++v) at.partials[v * rows_ + l] += slope * w[v];
  }
}

// The first row that log_softmax() sees is the logarithm of the sum of exponentials so far, or the first class's score:
// in its place comes the logarithm of its part in the new sum.
void sampled_layer::score(const net_outputs& at, const class_reader& read, const std::function<bool()>& stopping,
                          std::span<row_score> scores) {
  std::vector<float> weights(together_ * inputs_), biases(together_), sum(rows_), of_label(rows_),
      top(rows_, -std::numeric_limits<float>::infinity()), which(rows_);
  for (std::size_t first = 0; first < sampler_.classes() && !stopping(); first += together_) {
    const std::size_t n = std::min(together_, sampler_.classes() - first);
    read(first, std::span(weights).first(n * inputs_), std::span(biases).first(n));
    kernels_.dense_input(rows_, n, inputs_, weights.data(), at.values, scores_of(1));
    for (std::size_t c = 0; c < n; ++c) {
      for (float& score : std::span(scores_of(c + 1), rows_)) score += biases[c];
      take_larger(scores_of(c + 1), static_cast<float>(first + c), top.data(), which.data(), rows_);
    }
    for (std::size_t l = 0; l < at.examples; ++l) {
      const std::size_t c = label_[at.first + l] - first;
      if (c < n) of_label[l] = scores_of(c + 1)[l];
    }
    float* const from = scores_of(first == 0 ? 1 : 0);
    if (first == 0)
      std::copy_n(from, rows_, sum.begin());
    else
      std::ranges::copy(sum, from);
    kernels_.log_softmax(rows_, first == 0 ? n : n + 1, own_, from, loss_, best_);
    for (std::size_t l = 0; l < rows_; ++l) sum[l] -= from[l];
  }
  for (std::size_t l = 0; l < at.examples; ++l)
    scores[at.first + l] = {static_cast<double>(sum[l] - of_label[l]), which[l]};
}

}  // namespace hogwild
