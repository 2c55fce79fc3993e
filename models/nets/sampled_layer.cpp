// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/sampled_layer.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/models/class_loss.hpp>

#include "nets/row_products.hpp"

namespace hogwild {
namespace {

/// Weights that are read at a time when all classes are scored: half of a second-level cache.
constexpr std::size_t numbers_at_once = std::size_t{1} << 17;

/// The score of a class that does not count for a row: far below any other, but finite, so that differences are
/// numbers.
constexpr float unseen = -1e30f;

/// Where a lane's score is larger than its `top`, sets `top` to the score and `which` to the class.
void take_larger(const float* __restrict scores, float number, float* __restrict top, float* __restrict which,
                 std::size_t rows) {
  for (std::size_t l = 0; l < rows; ++l) {
    which[l] = scores[l] > top[l] ? number : which[l];
    top[l] = scores[l] > top[l] ? scores[l] : top[l];
  }
}

}  // namespace

sampled_layer::sampled_layer(class_sampler sampler, std::size_t inputs, isa set, std::size_t batch, std::size_t rows,
                             bool one_vs_rest)
    : sampler_(std::move(sampler)),
      one_vs_rest_(one_vs_rest),
      inputs_(inputs),
      rows_(rows),
      together_(std::clamp<std::size_t>(numbers_at_once / inputs, 1, sampler_.classes())),
      kernels_(layer_kernels_of(set)),
      slots_(sampler_.classes(), inputs),
      labels_(sampler_.classes(), batch),
      bits_(std::max<std::size_t>(batch, 1)) {
  lay_out(1);
  if (!takes_all()) return;
  for (std::uint32_t c = 0; c < sampler_.classes(); ++c) slots_.give(c);
}

void sampled_layer::lay_out(std::size_t own) {
  if (own <= own_rows_) return;
  own_rows_ = own;
  const std::size_t scored = std::max(std::min(sampler_.draws(), sampler_.classes()), together_) + own;
  memory_ = private_memory((scored + 3 + inputs_) * rows_ * sizeof(float));
  float* at = reinterpret_cast<float*>(memory_.base());
  for (float** const lanes : {&own_, &loss_, &best_}) *lanes = std::exchange(at, at + rows_);
  scores_ = std::exchange(at, at + scored * rows_);
  by_example_ = at;
}

void sampled_layer::gather(std::size_t n) {
  labels_of_batch_ = labels_.count(n);
  lay_out(labels_.most(0, n));
  if (!takes_all()) {
    slots_.clear();
    const counter_random random(bits_[0], n);
    for (std::size_t i = 0; i < sampler_.draws(); ++i) slots_.give(sampler_.draw(random.bits(i)));
  }
  sampled_ = slots_.size();
  for (std::size_t k = 0; k < n; ++k)
    for (const std::uint32_t y : labels_.of(k)) slots_.give(y);
  slots_.begin();
}

void sampled_layer::score_sample(const net_outputs& at, std::size_t own) {
  kernels_.dense_input(rows_, sampled_, inputs_, slots_.weights().data(), at.values, scores_);
  for (std::size_t s = 0; s < sampled_; ++s) {
    const float more = slots_.bias(s) - (one_vs_rest_ ? 0.0f : sampler_.log_chance(slots_.rows()[s]));
    for (float& score : std::span(scores_of(s), rows_)) score += more;
  }
  std::fill_n(scores_of(sampled_), rows_, 0.0f);
  std::fill(scores_of(sampled_ + 1), scores_of(sampled_ + own), unseen);
  for (std::size_t l = 0; l < at.examples; ++l) {
    float* const h = by_example_ + l * inputs_;
    for (std::size_t v = 0; v < inputs_; ++v) h[v] = at.values[v * rows_ + l];
    std::size_t to = sampled_;
    for (const std::uint32_t y : labels_.of(at.first + l)) {
      const std::size_t slot = slots_.of(y);
      scores_of(to++)[l] = detail::dot_of(h, slots_.weights(slot).data(), inputs_) + slots_.bias(slot);
      if (slot < sampled_) scores_of(slot)[l] = unseen;
    }
  }
}

// The kernels support one class for each example, the first of its own.
void sampled_layer::derive(const net_outputs& at, std::size_t own) {
  if (one_vs_rest_) {
    for (std::size_t s = 0; s < sampled_ + own; ++s) each_probable(scores_of(s), at.part, scores_of(s), rows_);
    for (std::size_t s = 0; s < sampled_; ++s) {
      const float times = std::exp(-sampler_.log_chance(slots_.rows()[s]));
      for (float& partial : std::span(scores_of(s), rows_)) partial *= times;
    }
  } else {
    std::fill_n(own_, rows_, static_cast<float>(sampled_));
    kernels_.log_softmax(rows_, sampled_ + own, own_, scores_, loss_, best_);
    kernels_.log_softmax_input(rows_, sampled_ + own, own_, at.part, scores_, scores_);
  }
  for (std::size_t l = 0; l < at.examples; ++l) {
    const std::span<const std::uint32_t> given = labels_.of(at.first + l);
    for (const std::uint32_t y : given) {
      const std::size_t slot = slots_.of(y);
      if (slot < sampled_) scores_of(slot)[l] = 0.0f;  // a kernel's exp(unseen) may be the smallest number
    }
    if (!one_vs_rest_ && given.empty()) {
      for (std::size_t s = 0; s < sampled_ + own; ++s) scores_of(s)[l] = 0.0f;
      continue;
    }
    const float part = at.part[l];
    if (!one_vs_rest_ && given.size() == 1) continue;
    if (!one_vs_rest_) scores_of(sampled_)[l] += part;
    const float target = one_vs_rest_ ? part : part / static_cast<float>(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) scores_of(sampled_ + i)[l] -= target;
  }
}

void sampled_layer::differentiate(const net_outputs& at) {
  const std::size_t own = labels_.most(at.first, at.examples);
  score_sample(at, own);
  derive(at, own);

  kernels_.dense_weights(rows_, sampled_, inputs_, scores_, at.values, slots_.partials().data(), nullptr);
  for (std::size_t s = 0; s < sampled_; ++s)
    for (const float partial : std::span(scores_of(s), rows_)) slots_.bias_partials()[s] += partial;
  std::fill_n(at.partials, inputs_ * rows_, 0.0f);
  kernels_.dense(rows_, sampled_, inputs_, slots_.weights().data(), nullptr, scores_, at.partials);

  for (std::size_t l = 0; l < at.examples; ++l) {
    std::size_t from = sampled_;
    for (const std::uint32_t y : labels_.of(at.first + l)) {
      const std::size_t slot = slots_.of(y);
      const float slope = scores_of(from++)[l];
      detail::add_times(slots_.partials(slot).data(), by_example_ + l * inputs_, slope, inputs_);
      slots_.bias_partials()[slot] += slope;
      const float* const w = slots_.weights(slot).data();
      for (std::size_t v = 0; v < inputs_; ++v) at.partials[v * rows_ + l] += slope * w[v];
    }
  }
}

// The first row that log_softmax() gets is the logarithm of the sum of exponentials so far, or the first class's score;
// it is replaced by the logarithm of its part in the new sum.
void sampled_layer::score(const net_outputs& at, const class_reader& read, const std::function<bool()>& stopping,
                          std::span<row_score> scores, std::span<float> of_classes) {
  std::vector<float> weights(together_ * inputs_), biases(together_), sum(rows_), of_labels(rows_),
      top(rows_, -std::numeric_limits<float>::infinity()), which(rows_);
  rest_loss rest(one_vs_rest_ ? rows_ : 0);
  for (std::size_t first = 0; first < sampler_.classes() && !stopping(); first += together_) {
    const std::size_t n = std::min(together_, sampler_.classes() - first);
    read(first, std::span(weights).first(n * inputs_), std::span(biases).first(n));
    kernels_.dense_input(rows_, n, inputs_, weights.data(), at.values, scores_of(1));
    for (std::size_t c = 0; c < n; ++c) {
      for (float& score : std::span(scores_of(c + 1), rows_)) score += biases[c];
      take_larger(scores_of(c + 1), static_cast<float>(first + c), top.data(), which.data(), rows_);
    }
    for (std::size_t l = 0; l < at.examples; ++l) {
      for (const std::uint32_t y : labels_.of(at.first + l))
        if (y - first < n) of_labels[l] += scores_of(y - first + 1)[l];
      for (std::size_t c = 0; !of_classes.empty() && c < n; ++c)
        of_classes[(at.first + l) * sampler_.classes() + first + c] = scores_of(c + 1)[l];
    }
    if (one_vs_rest_) {
      for (std::size_t c = 0; c < n; ++c) rest.add(scores_of(c + 1));
      continue;
    }
    float* const from = scores_of(first == 0 ? 1 : 0);
    if (first == 0)
      std::copy_n(from, rows_, sum.begin());
    else
      std::ranges::copy(sum, from);
    kernels_.log_softmax(rows_, first == 0 ? n : n + 1, own_, from, loss_, best_);
    for (std::size_t l = 0; l < rows_; ++l) sum[l] -= from[l];
  }
  for (std::size_t l = 0; l < at.examples; ++l) {
    const float own = of_labels[l], labels = static_cast<float>(labels_.of(at.first + l).size());
    const double loss = one_vs_rest_    ? rest.of(l) - static_cast<double>(own)
                        : labels > 0.0f ? static_cast<double>(sum[l] - own / labels)
                                        : 0.0;
    scores[at.first + l] = {loss, which[l]};
  }
}

}  // namespace hogwild
