// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/words/word_sampler.hpp>

#include "kernels/window_rows.hpp"
#include "stored_rows.hpp"

namespace hogwild::test {

struct window_training {
  std::uint32_t width = 16, window = 3, negative = 4;
  double sample = 0.02;
};

/// Random sentences, initial vectors, and the result of training in double precision.
template <class Index>
class window_problem {
 public:
  static constexpr std::size_t words = 40, warps = 3;
  static constexpr float step = 0.01f;

  /// Sentences of these lengths, which repeat few words.
  window_problem(std::mt19937_64& random, std::span<const std::size_t> lengths, const window_training& training)
      : training_(training), seed_(random()), rows_(random() % 2 != 0) {
    std::vector<std::uint32_t> counts(words);
    for (const std::size_t length : lengths) {
      for (std::size_t k = 0; k < length; ++k) {
        const auto word = random() % 3 == 0 ? random() % 3 : random() % words;
        rows_.push(word);
        ++counts[word];
      }
      rows_.end_row();
      longest_ = std::max(longest_, static_cast<std::uint32_t>(length));
    }
    sampler_ = word_sampler(counts, training.sample);
    std::uniform_real_distribution<float> some(-1.0f, 1.0f);
    for (std::size_t j = 0; j < words * 2 * training.width; ++j)
      weights.push_back(some(random) / std::sqrt(static_cast<float>(training.width)));
    const device::window_work shape = work();
    floats_.resize(warps * shape.own_floats());
    numbers_.resize(warps * shape.own_numbers());
  }

  /// All rows, on `weights`, for so many warps.
  device::window_work work() {
    device::window_work work;
    rows_.name_in(work);
    work.weights = weights.data();
    work.step = step;
    work.seed = seed_;
    work.keep = sampler_.chances().data();
    work.drawn = sampler_.columns().data();
    work.words = words;
    work.width = training_.width;
    work.window = training_.window;
    work.negative = training_.negative;
    work.longest = longest_;
    work.floats = floats_.data();
    work.numbers = numbers_.data();
    return work;
  }

  /// The vectors after all rows, one after the other. A word in a window keeps the input that it had when the window
  /// reached it, and its changes are added when the window has left it.
  std::vector<double> trained() const {
    std::vector<double> w(weights.begin(), weights.end());
    const std::size_t width = training_.width, reach = training_.window;
    for (std::size_t r = 0; r < rows_.rows(); ++r) {
      const counter_random random(seed_, r);
      const std::vector<std::size_t> kept = kept_words(r, random);
      if (kept.size() < 2) continue;
      const std::size_t n = kept.size();
      std::vector<std::vector<double>> input(n), change(n, std::vector<double>(width));
      const auto enter = [&](std::size_t p) {
        const auto at = w.begin() + static_cast<std::ptrdiff_t>(kept[p] * 2 * width);
        input[p].assign(at, at + static_cast<std::ptrdiff_t>(width));
      };
      const auto leave = [&](std::size_t p) {
        for (std::size_t k = 0; k < width; ++k) w[kept[p] * 2 * width + k] += change[p][k];
      };
      for (std::size_t p = 0; p < std::min(reach, n); ++p) enter(p);
      for (std::size_t t = 0; t < n; ++t) {
        if (t + reach < n) enter(t + reach);
        train_window(w, kept, t, random, input, change);
        if (t >= reach) leave(t - reach);
      }
      for (std::size_t p = n - std::min(reach, n); p < n; ++p) leave(p);
    }
    return w;
  }

  /// The loss of row r.
  double loss(std::size_t r) const {
    const counter_random random(seed_, r);
    const std::vector<std::size_t> kept = kept_words(r, random);
    double sum = 0;
    for (std::size_t t = 0; kept.size() >= 2 && t < kept.size(); ++t) {
      const window at = window_of(kept, t, random);
      for (std::size_t p = at.begin; p < at.end; ++p) {
        for (std::size_t j = 0; p != t && j < at.drawn.size(); ++j) {
          double score = 0;
          for (std::size_t k = 0; k < training_.width; ++k)
            score += static_cast<double>(weights[kept[p] * 2 * training_.width + k]) *
                     static_cast<double>(weights[(at.drawn[j] * 2 + 1) * training_.width + k]);
          sum += std::log1p(std::exp(j == 0 ? -score : score));
        }
      }
    }
    return sum;
  }

  std::vector<float> weights;

 private:
  struct window {
    std::size_t begin, end;          ///< of kept words
    std::vector<std::size_t> drawn;  ///< the window's word first
  };

  std::vector<std::size_t> kept_words(std::size_t r, const counter_random& random) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = rows_.begin(r); i < rows_.begin(r + 1); ++i) {
      const auto chance = static_cast<float>(random.bits(i - rows_.begin(r)) >> 40) * 0x1p-24f;
      if (chance < sampler_.keep(rows_.column(i))) kept.push_back(rows_.column(i));
    }
    return kept;
  }

  window window_of(const std::vector<std::size_t>& kept, std::size_t t, const counter_random& random) const {
    const std::size_t outputs = training_.negative + 1;
    const auto draw = [&](std::size_t number) { return random.bits((std::uint64_t{1} << 32) + t * outputs + number); };
    const std::size_t radius = 1 + static_cast<std::size_t>((draw(0) >> 32) * training_.window >> 32);
    window at{.begin = t - std::min(t, radius), .end = std::min(t + radius + 1, kept.size()), .drawn = {kept[t]}};
    for (std::size_t j = 1; j < outputs; ++j)
      if (const std::size_t word = sampler_.draw(draw(j)); word != kept[t]) at.drawn.push_back(word);
    return at;
  }

  void train_window(std::vector<double>& w, const std::vector<std::size_t>& kept, std::size_t t,
                    const counter_random& random, const std::vector<std::vector<double>>& input,
                    std::vector<std::vector<double>>& change) const {
    const std::size_t width = training_.width;
    constexpr auto size = static_cast<double>(step);
    const window at = window_of(kept, t, random);
    const std::vector<double> before = w;
    for (std::size_t p = at.begin; p < at.end; ++p) {
      if (p == t) continue;
      for (std::size_t j = 0; j < at.drawn.size(); ++j) {
        const std::size_t output = at.drawn[j] * 2 * width + width;
        double score = 0;
        for (std::size_t k = 0; k < width; ++k) score += input[p][k] * before[output + k];
        const double slope = 1.0 / (1.0 + std::exp(-score)) - (j == 0 ? 1.0 : 0.0);
        for (std::size_t k = 0; k < width; ++k) {
          change[p][k] -= size * slope * before[output + k];
          w[output + k] -= size * slope * input[p][k];
        }
      }
    }
  }

  window_training training_;
  std::uint64_t seed_;
  stored_rows<Index> rows_;
  std::uint32_t longest_ = 0;
  word_sampler sampler_{{}, 0.0};
  std::vector<float> floats_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace hogwild::test
