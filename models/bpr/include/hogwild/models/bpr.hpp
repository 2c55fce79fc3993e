// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <hogwild/detail/embeddings/compared_space.hpp>
#include <hogwild/detail/embeddings/pair_model.hpp>
#include <hogwild/detail/embeddings/row_figures.hpp>

namespace hogwild {

/// Bayesian personalised ranking (Rendle and others, BPR: Bayesian personalized ranking from implicit feedback, UAI
/// 2009): for a pair of a user u and an item i, and an item j drawn among those that the user is not known to have, the
/// loss is
///
///   log(1 + e^-(s_ui - s_uj)) + l2 / 2 * (|p_u|^2 + |q_i|^2 + |q_j|^2 + b_i^2 + b_j^2)
struct bpr : pair_shape {
  using workspace = compared_space;
  using library_model = bpr;
  using kernel_model = bpr;
  static constexpr std::string_view name = "bpr";
  static constexpr std::size_t epochs = 80;  ///< the default
  static constexpr training_defaults defaults{.step = 0.05,
                                              .schedule = schedule_kind::constant,
                                              .optimizer = optimizer_kind::sgd,
                                              .batch = 16,
                                              .l2 = 0.01,
                                              .form = l2_form::per_occurrence};

  /// The model without options, and without data.
  static bpr usual() {
    bpr m;
    m.negatives = 1;
    return m;
  }

  /// An item that the user is not known to have; nothing if some draws find none.
  std::optional<std::uint32_t> other_item(const pair_side& side, std::uint32_t user,
                                          const counter_random& random) const;

  compared_space make_workspace(const sparse_view& data, isa set, std::size_t batch) const {
    return make_workspace(data, make_side(data), set, batch);
  }
  compared_space make_workspace(const sparse_view&, const std::shared_ptr<const pair_side>& side, isa,
                                std::size_t batch) const {
    return {width(), batch, side};
  }
  void take(compared_space& s, std::size_t k, const sparse_row<float>& z, const counter_random& random) const;

  void gradient(const auto& w, compared_space& s, std::size_t n, const auto& emit) const {
    for (std::size_t k = 0; k < n; ++k) {
      const compared_space::compared& c = s.pair(k);
      if (c.weight == 0.0f) continue;
      const float pull = differentiate(s, c.weight, read(w, s, c));
      if (parts > 0) {
        emit_parts(s, c, pull, emit);
        continue;
      }
      const auto send = [&](std::size_t offset, std::span<const float> partials) {
        emit_touched(emit, offset, partials, 1.0f);
      };
      send(user_row(c.user), s.row(3));
      send(item_row(c.item), s.row(4));
      send(item_row(c.other), s.row(5));
      if (!bias) continue;
      const float down = -pull;
      send(item_bias(c.item), {&down, 1});
      send(item_bias(c.other), {&pull, 1});
    }
  }
  void score(const auto& w, compared_space& s, std::size_t n, std::span<row_score> scores) const {
    fill_losses(
        scores.first(n), [&](std::size_t k) { return s.pair(k).weight != 0.0f; },
        [&](std::size_t k) { return static_cast<double>(s.pair(k).times) * loss_of(read(w, s, s.pair(k))); });
  }
  /// The sum of the squares that l2 adds for a pair: those of its rows and of the drawn item's.
  double squares_touched(std::span<const float> w, const compared_space& s, std::size_t k) const;

 private:
  /// Emits the gradients of all rows that make the vectors of a pair. Those of features that both items have cancel
  /// out.
  void emit_parts(compared_space& s, const compared_space::compared& c, float pull, const auto& emit) const {
    const pair_parts& of = s.side().parts;
    of.add(c.user, 0, width(), s.row(3), 1.0f, s.sums());
    of.add(users + c.item, 0, width(), s.row(4), 1.0f, s.sums());
    of.add(users + c.other, 0, width(), s.row(5), 1.0f, s.sums());
    s.sums().emit(emit);
    if (!bias) return;
    const float down = -pull;
    of.add(users + c.item, row_bias(), 1, {&down, 1}, 1.0f, s.biases());
    of.add(users + c.other, row_bias(), 1, {&pull, 1}, 1.0f, s.biases());
    s.biases().emit(emit);
  }

  /// Reads a pair's rows; returns by how much its item scores above the other one.
  float read(const auto& w, compared_space& s, const compared_space::compared& c) const {
    if (parts > 0) {
      const pair_parts& of = s.side().parts;
      of.read(w, c.user, s.row(0));
      of.read(w, users + c.item, s.row(1));
      of.read(w, users + c.other, s.row(2));
      const float added =
          bias ? of.bias(w, users + c.item, row_bias()) - of.bias(w, users + c.other, row_bias()) : 0.0f;
      return added + difference(s);
    }
    w.block(user_row(c.user), width()).copy_to(s.row(0));
    w.block(item_row(c.item), width()).copy_to(s.row(1));
    w.block(item_row(c.other), width()).copy_to(s.row(2));
    const float added = bias ? w[item_bias(c.item)] - w[item_bias(c.other)] : 0.0f;
    return added + difference(s);
  }
  static float difference(compared_space& s);
  static double loss_of(float x);
  /// Writes the gradients of the rows; returns minus the derivative with respect to x.
  static float differentiate(compared_space& s, float weight, float x);
};

}  // namespace hogwild
