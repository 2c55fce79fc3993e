// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include <hogwild/models/word_windows.hpp>

namespace hogwild {

/// Word vectors by which the neighbours of a word can be told from words drawn at random. For a word c, its neighbours
/// m and the drawn words r
///
///   loss = sum over m of [ -log sigma(a_m . b_c) - sum over r of log sigma(-a_m . b_r) ],  sigma(x) = 1 / (1 + e^-x)
///
/// with the vectors a (input) and b (output) of each word; the loss of a sentence is the sum over its words. Examples
/// are the sentences of a corpus.
struct skip_gram : window_model {
  using scalar_type = float;
  using workspace = window_space;
  static constexpr std::string_view name = "skip_gram";
  static constexpr training_defaults defaults{
      .step = 0.025, .schedule = schedule_kind::linear, .optimizer = optimizer_kind::sgd, .batch = 1};
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
        scores(s);
        s.kernels().slopes(s.slopes(), s.contexts(), s.outputs());
        if (n > 1) s.scale_slopes(s.contexts() * s.outputs(), 1.0f / static_cast<float>(n));
        s.kernels().gradients(s.context(), s.contexts(), s.output(), s.outputs(), width(), s.slopes(),
                              s.context_gradient(), s.output_gradient());
      });
    }
  }

  void judge(const auto& w, window_space& s, std::size_t n, std::span<row_verdict> verdicts) const {
    for (std::size_t k = 0; k < n; ++k) {
      verdicts[k] = {};
      s.look(w, k, [&] {
        scores(s);
        verdicts[k].loss += s.loss(s.contexts());
      });
    }
  }

 private:
  void scores(window_space& s) const {
    s.kernels().scores(s.context(), s.contexts(), s.output(), s.outputs(), width(), s.slopes());
  }
};

}  // namespace hogwild
