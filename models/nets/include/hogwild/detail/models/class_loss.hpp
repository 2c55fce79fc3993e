// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/kernels/layer_kernels.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/models/example_labels.hpp>
#include <hogwild/detail/models/net_workspace.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// For each lane the sum over classes of log(1 + exp(s)), the loss of a row without any class. Takes logarithms of
/// products of factors: each factor is at most 2, so 512 of them are far from overflowing.
class rest_loss {
 public:
  explicit rest_loss(std::size_t lanes) : product_(lanes, 1.0), sum_(lanes) {}

  /// Adds a class with these scores, a lane each.
  void add(const float* scores) {
    for (std::size_t l = 0; l < sum_.size(); ++l) {
      product_[l] *= 1.0 + static_cast<double>(vector_exp(-std::abs(scores[l])));
      sum_[l] += static_cast<double>(std::max(scores[l], 0.0f));
    }
    if (++factors_ % 512 != 0) return;
    for (std::size_t l = 0; l < sum_.size(); ++l) sum_[l] += std::log(std::exchange(product_[l], 1.0));
  }
  double of(std::size_t lane) const { return sum_[lane] + std::log(product_[lane]); }

 private:
  std::vector<double> product_, sum_;
  std::size_t factors_ = 0;
};

/// to = weight / (1 + exp(-s)) for each lane: weight times the probability of a class against all others.
inline void each_probable(const float* s, const float* weight, float* to, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const float small = vector_exp(-std::abs(s[l])), part = 1.0f / (1.0f + small);
    to[l] = weight[l] * (s[l] >= 0.0f ? part : small * part);
  }
}

/// The loss of a net that scores all classes, for rows with lists Y of classes: -1/|Y| sum over y in Y of log
/// softmax(s)[y]; or with one_vs_rest the sum over k of log(1 + exp(-s_k)) for k in Y and of log(1 + exp(s_k)) for the
/// others (see softmax). One worker's memory; no other thread may use it at the same time.
class class_loss {
 public:
  /// For at most `batch` examples, computed `rows` at a time: the net's stride. Throws config_error if this build has
  /// no layers.
  class_loss(std::size_t classes, bool one_vs_rest, isa set, std::size_t batch, std::size_t rows);

  void take(std::size_t k, const sparse_row<float>& z) { labels_.take(k, z); }
  /// Whether the loss of examples 0 .. n-1 differs from -log softmax(s)[label], which nets compute by themselves.
  bool differs(std::size_t n) const { return one_vs_rest_ || labels_.most(0, n) > 1; }

  /// Fills in the partials of a pass of the net.
  void differentiate(const net_outputs& at);
  /// Loss and predicted class of a pass's examples, and if there is room the scores of all classes, example by example.
  void score(const net_outputs& at, std::span<row_score> scores, std::span<float> of_classes);

 private:
  /// The first label of each lane; lanes without an example have 0.
  void name_labels(const net_outputs& at);

  std::size_t classes_, rows_;
  bool one_vs_rest_;
  const layer_kernels& kernels_;
  example_labels labels_;
  private_memory lanes_;
  private_memory logs_{};  ///< allocated once scores are asked for
  float *label_ = nullptr, *loss_ = nullptr, *best_ = nullptr;
};

}  // namespace hogwild
