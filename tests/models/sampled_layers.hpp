// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/models/sampled_layer.hpp>

#include "support/toy_data.hpp"

// Sampled layers for tests, whose chances and scores are known by their formulas.

namespace hogwild::sampled_test {

inline std::vector<std::uint32_t> uneven_counts(std::size_t classes) {
  std::vector<std::uint32_t> counts(classes);
  for (std::size_t c = 0; c < classes; ++c) counts[c] = static_cast<std::uint32_t>(1000 / (1 + (c * 7) % classes));
  return counts;
}

/// The chance of each class in one draw.
inline std::vector<double> draw_chances(sample_distribution by, const std::vector<std::uint32_t>& counts) {
  std::vector<double> q(counts.size(), 1.0);
  for (std::size_t c = 0; c < q.size(); ++c) {
    const auto rank = std::ranges::count_if(counts, [&](std::uint32_t n) { return n > counts[c]; }) +
                      std::count(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(c), counts[c]);
    if (by == sample_distribution::frequency) q[c] = std::sqrt(1.0 + counts[c]);
    if (by == sample_distribution::log_uniform)
      q[c] = std::log(static_cast<double>(rank + 2) / static_cast<double>(rank + 1));
  }
  const double sum = std::accumulate(q.begin(), q.end(), 0.0);
  for (double& x : q) x /= sum;
  return q;
}

/// A layer of `classes` classes with weights and examples, all from one seed, and the result by the formula.
struct filled_layer {
  static constexpr std::size_t inputs = 5, rows = 16;
  filled_layer(std::size_t of, std::size_t draws, sample_distribution by, std::size_t batch, bool one_vs_rest = false)
      : classes(of),
        n(batch),
        layer(class_sampler(by, uneven_counts(of), draws), inputs, isa::automatic, batch, rows, one_vs_rest),
        w(test::noise_vector(of * inputs, 1, -1.0, 1.0)),
        b(test::noise_vector(of, 2, -1.0, 1.0)),
        h(test::noise_vector(inputs * rows * passes(), 3, -1.0, 1.0)),
        dh(h.size()) {
    values = private_memory(h.size() * sizeof(float)), partials = private_memory(h.size() * sizeof(float));
    std::ranges::copy(h, reinterpret_cast<float*>(values.base()));
    for (std::size_t k = 0; k < n; ++k) label.push_back(static_cast<std::uint32_t>(k * 3 % classes));
  }
  private_memory part{};  ///< of each lane of the last requested pass
  std::size_t passes() const { return (n + rows - 1) / rows; }
  net_outputs at(std::size_t pass) {
    const std::size_t first = pass * inputs * rows;
    const std::size_t examples = std::min(rows, n - pass * rows);
    if (part.base() == nullptr) part = private_memory(rows * sizeof(float));
    float* const parts = reinterpret_cast<float*>(part.base());
    std::fill_n(std::fill_n(parts, examples, 1.0f / static_cast<float>(n)), rows - examples, 0.0f);
    return {.first = pass * rows,
            .examples = examples,
            .rows = rows,
            .values = reinterpret_cast<float*>(values.base()) + first,
            .part = parts,
            .partials = reinterpret_cast<float*>(partials.base()) + first};
  }
  double output(std::size_t k, std::size_t v) const {
    return static_cast<double>(h[k / rows * inputs * rows + v * rows + k % rows]);
  }
  double partial(std::size_t k, std::size_t v) const {
    return static_cast<double>(
        reinterpret_cast<const float*>(partials.base())[k / rows * inputs * rows + v * rows + k % rows]);
  }
  double score(std::size_t k, std::size_t c) const {
    double s = static_cast<double>(b[c]);
    for (std::size_t v = 0; v < inputs; ++v) s += static_cast<double>(w[c * inputs + v]) * output(k, v);
    return s;
  }
  std::span<const std::uint32_t> given(std::size_t k) const {
    return lists.empty() ? std::span<const std::uint32_t>{} : lists[k];
  }
  void differentiate(std::uint64_t seed) {
    for (std::size_t k = 0; k < n; ++k)
      layer.take(k, {{}, {}, static_cast<float>(label[k]), given(k)}, mix_bits(seed * 1000 + k + 1));
    layer.gather(n);
    for (std::size_t s = 0; s < layer.slots().size(); ++s) {
      std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(layer.slots().rows()[s] * inputs), inputs,
                  layer.slots().weights(s).begin());
      layer.slots().bias(s) = b[layer.slots().rows()[s]];
    }
    for (std::size_t pass = 0; pass < passes(); ++pass) layer.differentiate(at(pass));
  }

  std::size_t classes, n;
  sampled_layer layer;
  std::vector<float> w, b, h, dh;
  private_memory values, partials;
  std::vector<std::uint32_t> label{};
  std::vector<std::vector<std::uint32_t>> lists{};  ///< empty: rows have one label each
};

}  // namespace hogwild::sampled_test
