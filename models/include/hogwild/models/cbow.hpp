// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/models/word_windows.hpp>

namespace hogwild {

/// The continuous bag of words: word vectors of which the mean of a word's neighbours tells it from words drawn at
/// random. For a word c, the mean h of its neighbours' vectors and the drawn words r
///
///   loss = -log sigma(h . b_c) - sum over r of log sigma(-h . b_r),  sigma(x) = 1 / (1 + e^-x)
///
/// else as skip_gram. Each neighbour gets its share 1/m of the gradient by h, m of them; other programs give each the
/// whole of it, and make up for that with a smaller step.
struct cbow : window_model {
  using scalar_type = float;
  using workspace = window_space;
  static constexpr std::string_view name = "cbow";
  static constexpr training_defaults defaults{
      .step = 0.15, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};
  static constexpr std::size_t measured_rows = 200;
  static constexpr sharing_kind shares = sharing_kind::direct;

  std::size_t dim() const { return words * row(); }
  std::array<parameter_group, 1> groups() const { return {{{.name = "words", .rows = words, .width = row()}}}; }
  void init(const auto& view, const counter_random& random) const { init_inputs(view, random); }

  window_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return {*this, data, set, batch};
  }
  void take(window_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const {
    s.take(k, z, random);
  }

  void gradient(const auto& w, window_space& s, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k) {
      s.walk(w, k, emit, [&] {
        const float* const mean = scores(s);
        s.kernels().slopes(s.slopes(), 1, s.outputs());
        if (n > 1) s.scale_slopes(s.outputs(), 1.0f / static_cast<float>(n));
        float* const by_mean = s.clear_mean_gradient();
        s.kernels().gradients(&mean, 1, s.output(), s.outputs(), width(), s.slopes(), &by_mean, s.output_gradient());
        s.share_mean_gradient();
      });
    }
  }

  void judge(const auto& w, window_space& s, std::size_t n, std::span<row_verdict> verdicts) const {
    for (std::size_t k = 0; k < n; ++k) {
      verdicts[k] = {};
      s.look(w, k, [&] {
        scores(s);
        verdicts[k].loss += s.loss(1);
      });
    }
  }

 private:
  const float* scores(window_space& s) const {
    const float* const mean = s.mean_of_contexts();
    s.kernels().scores(&mean, 1, s.output(), s.outputs(), width(), s.slopes());
    return mean;
  }
};

}  // namespace hogwild
