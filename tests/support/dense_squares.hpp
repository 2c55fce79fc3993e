// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/general_model.hpp>

namespace hogwild::test {

/// Least squares on dense rows: w of `features` columns and a bias, both as runs.
struct dense_squares {
  using scalar_type = float;
  struct workspace {
    std::vector<float> x, label, w, g;
    std::size_t features = 0;
    std::vector<std::uint64_t> drawn;
  };
  static constexpr std::string_view name = "dense_squares";
  static constexpr training_defaults defaults{
      .step = 0.25, .decay = 0.9, .optimizer = optimizer_kind::momentum, .batch = 8};

  std::size_t features = 0;
  double bias_factor = 1.0;

  std::size_t dim() const { return features + 1; }
  std::array<parameter_group, 2> groups() const {
    return {
        {{.name = "weights", .rows = features},
         {.name = "bias", .offset = features, .rows = 1, .hot_first = false, .step_factor = bias_factor, .l2 = false}}};
  }
  workspace make_workspace(const sparse_view&, isa, std::size_t batch) const {
    return {.x = std::vector<float>(batch * features),
            .label = std::vector<float>(batch),
            .w = std::vector<float>(features + 1),
            .g = std::vector<float>(features + 1),
            .features = features,
            .drawn = std::vector<std::uint64_t>(batch)};
  }
  void take(workspace& s, std::size_t k, const sparse_row<float>& z, counter_random random) const {
    std::fill_n(s.x.begin() + static_cast<std::ptrdiff_t>(k * features), features, 0.0f);
    for (const auto [j, x] : z) s.x[k * features + j] = x;
    s.label[k] = z.label;
    s.drawn[k] = random.bits(0);
  }
  void gradient(const auto& reader, workspace& s, std::size_t n, const auto& emit) const {
    reader.block(0, dim()).copy_to(s.w);
    std::ranges::fill(s.g, 0.0f);
    for (std::size_t k = 0; k < n; ++k) {
      const float error = (score(s, k) - s.label[k]) / static_cast<float>(n);
      for (std::size_t j = 0; j < features; ++j) s.g[j] += error * s.x[k * features + j];
      s.g[features] += error;
    }
    emit.block(0, std::span(std::as_const(s.g)).first(features));
    emit.block(features, std::span(std::as_const(s.g)).subspan(features));
  }
  void score(const auto& reader, workspace& s, std::size_t n, std::span<row_score> scores) const {
    reader.block(0, dim()).copy_to(s.w);
    for (std::size_t k = 0; k < n; ++k) {
      const float said = score(s, k);
      scores[k] = {0.5 * std::pow(static_cast<double>(said - s.label[k]), 2.0), said};
    }
  }
  float score(const workspace& s, std::size_t k) const {
    float sum = s.w[features];
    for (std::size_t j = 0; j < features; ++j) sum += s.w[j] * s.x[k * features + j];
    return sum;
  }
};

}  // namespace hogwild::test
