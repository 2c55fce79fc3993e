// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/kernels/window_kernels.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/math/vector_math.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/detail/words/window_model.hpp>
#include <hogwild/detail/words/window_outputs.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

/// Rows that a window's kernels read, and rows to which they add, at any addresses.
using window_rows = std::span<const float* const>;
using window_row_gradients = std::span<float* const>;

/// One worker's memory: sentences, the rows of the current window, and sums of their gradients.
class window_space {
 public:
  window_space(const window_model& m, const sparse_view& data, isa set, std::size_t batch)
      : model_(m),
        kernels_(window_kernels_of(set)),
        choice_(m, data),
        sentences_(batch),
        slots_(2 * std::size_t{m.window} + 1),
        values_(slots_ * m.width()),
        gradients_(slots_ * m.width()),
        outputs_(choice_.most() * m.width()),
        output_gradients_(choice_.most() * m.width()),
        slopes_(contexts_of(m) * choice_.most() + window_lanes),
        mean_(m.width()),
        mean_gradient_(m.width()),
        contexts_(contexts_of(m)),
        context_gradients_(contexts_of(m)),
        parts_(m.parts > 0 ? parts_of(data) : column_parts{}),
        row_(m.width()),
        document_(m.width()),
        document_gradient_(m.width()) {
    if (parts_.parts != m.parts)
      throw config_error("the model has vectors of " + std::to_string(m.parts) + " parts of words, and the text has " +
                         std::to_string(parts_.parts) + ": give the rows that the model was made for");
  }

  /// Takes sentence k: its words, with frequent ones subsampled.
  void take(std::size_t k, const sparse_row<float>& z, const counter_random& random) {
    sentence& s = sentences_[k];
    s.random = random;
    s.document = static_cast<std::size_t>(z.id);
    s.words.clear();
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto chance = static_cast<float>(random.bits(i) >> 40) * 0x1p-24f;
      if (chance < choice_.keep(z.index[i])) s.words.push_back(z.index[i]);
    }
  }

  /// The rows of the window's neighbours, and the sums of their gradients.
  window_rows contexts() const { return {contexts_.data(), count_}; }
  window_row_gradients context_gradients() const { return {context_gradients_.data(), count_}; }

  /// Scores each of the inputs against each of the outputs.
  void score(window_rows inputs) {
    kernels_.scores(inputs.data(), inputs.size(), outputs_.data(), here_.rows.size(), model_.width(), slopes_.data());
  }
  /// The loss of the scores of this many inputs.
  double loss(std::size_t inputs) {
    double sum = 0.0;
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t j = 0; j < here_.rows.size(); ++j) {
        const auto score = static_cast<double>(slopes_.data()[i * here_.rows.size() + j]);
        sum += soft_plus(j < here_.seen ? -score : score);
      }
    }
    return sum;
  }
  /// Turns scores into slopes: the derivatives of the mean loss of this many sentences with respect to each score.
  void derive(std::size_t inputs, std::size_t sentences) {
    kernels_.slopes(slopes_.data(), inputs, here_.rows.size(), here_.seen);
    if (sentences == 1) return;
    const float fraction = 1.0f / static_cast<float>(sentences);
    for (std::size_t i = 0; i < inputs * here_.rows.size(); ++i) slopes_.data()[i] *= fraction;
  }
  /// Computes gradients from slopes: adds to those of the inputs, writes those of the outputs.
  void differentiate(window_rows inputs, window_row_gradients by_inputs) {
    kernels_.gradients(inputs.data(), inputs.size(), outputs_.data(), here_.rows.size(), model_.width(), slopes_.data(),
                       by_inputs.data(), output_gradients_.data());
  }

  /// The mean of the contexts' rows, one row, and the sum of its gradient, which begins at zero.
  window_rows mean_of_contexts() {
    kernels_.mean(contexts_.data(), count_, model_.width(), mean_.data());
    mean_row_ = mean_.data();
    return {&mean_row_, 1};
  }
  window_row_gradients clear_mean_gradient() {
    std::fill_n(mean_gradient_.data(), model_.width(), 0.0f);
    mean_gradient_row_ = mean_gradient_.data();
    return {&mean_gradient_row_, 1};
  }
  /// Adds each context's part of that gradient to its own.
  void spread_mean_gradient() {
    const float fraction = 1.0f / static_cast<float>(count_);
    kernels_.spread(context_gradients_.data(), count_, model_.width(), fraction, mean_gradient_.data());
  }

  /// walk() without gradients.
  template <class Reader, class AtWindow>
  void look(const Reader& w, std::size_t k, const AtWindow& at_window) {
    const sentence& s = sentences_[k];
    const std::size_t n = s.words.size(), reach = model_.window;
    if (n < least_words()) return;
    for (std::size_t p = 0; p < std::min(reach, n); ++p) enter(w, s, p);
    for (std::size_t t = 0; t < n; ++t) {
      if (t + reach < n) enter(w, s, t + reach);
      gather_contexts(s, t);
      gather_document(w, s);
      choose_outputs(w, s, t);
      gather_outputs(w);
      at_window();
    }
  }

  /// Calls at_window() for each word of sentence k once the rows of its window, contexts() and outputs, have been read.
  /// The gradients of the outputs that at_window() leaves are emitted at once; what it added to context_gradients() is
  /// emitted once a word is out of all windows.
  template <class Reader, class Emit, class AtWindow>
  void walk(const Reader& w, std::size_t k, const Emit& emit, const AtWindow& at_window) {
    const sentence& s = sentences_[k];
    const std::size_t n = s.words.size(), reach = model_.window;
    if (n < least_words()) return;
    for (std::size_t p = 0; p < std::min(reach, n); ++p) enter(w, s, p);
    choose_outputs(w, s, 0);
    for (std::size_t t = 0; t < n; ++t) {
      if (t + reach < n) enter(w, s, t + reach);
      if (t + reach + 1 < n) announce_input(w, s.words[t + reach + 1]);
      gather_contexts(s, t);
      gather_document(w, s);
      gather_outputs(w);
      if (t + 1 < n) choose_outputs(w, s, t + 1);
      at_window();
      for (std::size_t j = 0; j < here_.rows.size(); ++j)
        emit.block(model_.output_of(here_.rows[j]), output_gradients_.part(j * model_.width(), model_.width()));
      if (model_.documents > 0) emit.block(model_.document_at(s.document), document_gradient_.part(0, model_.width()));
      if (t >= reach) leave(emit, s, t - reach);
    }
    for (std::size_t p = n - std::min(reach, n); p < n; ++p) leave(emit, s, p);
  }

 private:
  struct sentence {
    std::vector<std::uint32_t> words{};
    counter_random random{0, 0};
    std::size_t document = 0;
  };
  struct outputs {
    std::vector<std::uint32_t> rows{};
    std::size_t seen = 0;  ///< number of positive rows, which come first
  };

  /// The most contexts of a window.
  static std::size_t contexts_of(const window_model& m) {
    return 2 * std::size_t{m.window} + (m.documents > 0 ? 1 : 0);
  }
  /// A word alone has no context but its document.
  std::size_t least_words() const { return model_.documents > 0 ? 1 : 2; }

  std::size_t slot(std::size_t position) const { return position % slots_ * model_.width(); }

  template <class Reader>
  void enter(const Reader& w, const sentence& s, std::size_t position) {
    if (!model_.neighbours) return;
    const std::span<float> value = values_.part(slot(position), model_.width());
    if (model_.parts > 0) [[unlikely]]
      add_parts(w, s.words[position], value);
    else
      w.block(model_.input_of(s.words[position]), model_.width()).copy_to(value);
    std::ranges::fill(gradients_.part(slot(position), model_.width()), 0.0f);
  }
  template <class Emit>
  void leave(const Emit& emit, const sentence& s, std::size_t position) {
    if (!model_.neighbours) return;
    const std::span<float> gradient = gradients_.part(slot(position), model_.width());
    if (model_.parts > 0) [[unlikely]]
      emit_parts(emit, s.words[position], gradient);
    emit.block(model_.input_of(s.words[position]), gradient);
  }

  // Out of line, so that loops over words without parts stay as small as they are without these.

  /// The sum of the vectors of a word and its parts, times its factor.
  template <class Reader>
  [[gnu::noinline]] void add_parts(const Reader& w, std::uint32_t word, std::span<float> sum) {
    const float factor = window_model::factor_of(parts_.of(word).size() + 1);
    std::ranges::fill(sum, 0.0f);
    const auto add = [&, to = sum.data()](std::size_t offset) {
      w.block(offset, model_.width()).copy_to(row_.part(0, model_.width()));
      kernels_.spread(&to, 1, model_.width(), factor, row_.data());
    };
    add(model_.input_of(word));
    for (const std::uint32_t part : parts_.of(word)) add(model_.part_at(part));
  }
  /// Multiplies the gradient of a word's input by the word's factor, and emits that of each part.
  template <class Emit>
  [[gnu::noinline]] void emit_parts(const Emit& emit, std::uint32_t word, std::span<float> gradient) {
    const float factor = window_model::factor_of(parts_.of(word).size() + 1);
    for (float& x : gradient) x *= factor;
    for (const std::uint32_t part : parts_.of(word)) emit.block(model_.part_at(part), gradient);
  }
  template <class Reader>
  [[gnu::noinline]] void announce_parts(const Reader& w, std::uint32_t word) const {
    for (const std::uint32_t part : parts_.of(word)) announce(w, model_.part_at(part));
  }

  std::uint64_t draw(const sentence& s, std::size_t t, std::size_t number) const {
    constexpr std::uint64_t behind_words = std::uint64_t{1} << 32;  // take() uses lower numbers
    return s.random.bits(behind_words + t * model_.draws() + number);
  }

  void gather_contexts(const sentence& s, std::size_t t) {
    const std::size_t radius = 1 + static_cast<std::size_t>((draw(s, t, 0) >> 32) * model_.window >> 32);
    count_ = 0;
    if (!model_.neighbours) return;
    for (std::size_t p = t - std::min(t, radius); p < std::min(t + radius + 1, s.words.size()); ++p) {
      if (p == t) continue;
      contexts_[count_] = values_.data() + slot(p);
      context_gradients_[count_++] = gradients_.data() + slot(p);
    }
  }

  /// Adds the row of the document, which each window reads anew, as it reads outputs.
  template <class Reader>
  void gather_document(const Reader& w, const sentence& s) {
    if (model_.documents == 0) return;
    w.block(model_.document_at(s.document), model_.width()).copy_to(document_.part(0, model_.width()));
    std::fill_n(document_gradient_.data(), model_.width(), 0.0f);
    contexts_[count_] = document_.data();
    context_gradients_[count_++] = document_gradient_.data();
  }

  /// Chooses the outputs for the window of word t, and prefetches their rows.
  template <class Reader>
  void choose_outputs(const Reader& w, const sentence& s, std::size_t t) {
    next_.seen = choice_.choose(s.words[t], next_.rows, [&](std::size_t j) { return draw(s, t, j); });
    for (const std::uint32_t row : next_.rows) announce(w, model_.output_of(row));
  }

  template <class Reader>
  void gather_outputs(const Reader& w) {
    std::swap(here_, next_);
    for (std::size_t j = 0; j < here_.rows.size(); ++j)
      w.block(model_.output_of(here_.rows[j]), model_.width())
          .copy_to(outputs_.part(j * model_.width(), model_.width()));
  }

  template <class Reader>
  void announce_input(const Reader& w, std::uint32_t word) const {
    if (!model_.neighbours) return;
    announce(w, model_.input_of(word));
    if (model_.parts > 0) [[unlikely]]
      announce_parts(w, word);
  }
  template <class Reader>
  void announce(const Reader& w, std::size_t row) const {
    if constexpr (requires { w.announce(row, row); }) w.announce(row, model_.width());
  }

  window_model model_;
  const window_kernels& kernels_;
  window_outputs choice_;
  std::vector<sentence> sentences_;
  std::size_t slots_;  ///< words whose rows are in memory: as many as the widest window has
  lined_floats values_, gradients_, outputs_, output_gradients_, slopes_, mean_, mean_gradient_;
  std::vector<const float*> contexts_;
  std::vector<float*> context_gradients_;
  const float* mean_row_ = nullptr;
  float* mean_gradient_row_ = nullptr;
  outputs here_, next_;  ///< of this window and of the next one
  std::size_t count_ = 0;
  column_parts parts_;  ///< of words
  lined_floats row_;    ///< of a part
  lined_floats document_, document_gradient_;
};

}  // namespace hogwild
