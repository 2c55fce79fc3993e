// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/kernels/row_kernels.hpp>

#include "kernels/gathered_values.hpp"
#include "kernels/row_rules.hpp"

// The loops of linear models of several classes. A column's weights are adjacent, so that one instruction handles a
// vector of classes. If their number is not a multiple of eight, the last vector begins earlier and computes some
// classes twice, with the same bits, because all vectors of a block are loaded before one is stored. Fewer than eight
// classes are handled one by one.

namespace hogwild::detail {

template <class Isa, class Index, class Value>
class class_loops : row_rules<Isa> {
  using typename row_rules<Isa>::sgd_rule;
  using typename row_rules<Isa>::adagrad_rule;
  using row_rules<Isa>::splat;
  using row_rules<Isa>::store;
  using batch = row_batch<Index, Value>;
  using row = typename row_rules<Isa>::template entries<Index, Value>;
  using update = row_update<class_arrays>;

  /// Vectors of a block, which stay in registers during a row.
  static constexpr std::size_t most_vectors = 4;

  /// The class at which vector i of a block begins, if the block begins at class `first`.
  static std::size_t place(std::size_t first, std::size_t i, std::size_t n) {
    const std::size_t at = first + i * width;
    return at + width <= n ? at : n - width;
  }

  /// Calls body.operator()<Vectors>(first) for n >= 8 classes. A last vector that overlaps the one before it is in the
  /// same block.
  template <class Body>
  static void in_blocks(std::size_t n, const Body& body) {
    for (std::size_t first = 0; first < n;) {
      const std::size_t left = (n - first + width - 1) / width;
      switch (left == most_vectors + 1 ? most_vectors - 1 : left) {
        case 1:
          body.template operator()<1>(first);
          return;
        case 2:
          body.template operator()<2>(first);
          return;
        case 3:
          body.template operator()<3>(first);
          first += 3 * width;
          break;
        default:
          body.template operator()<most_vectors>(first);
          first += most_vectors * width;
      }
    }
  }

  static void score(const class_arrays& w, const row& z, float* out) {
    const std::size_t n = w.classes;
    if (n < width) {
      for (std::size_t k = 0; k < n; ++k) out[k] = w.bias != nullptr ? w.bias[k] : 0.0f;
      for (std::size_t e = 0; e < z.size; ++e) {
        const float x = Isa::load_one(z.value + e);
        for (std::size_t k = 0; k < n; ++k) out[k] += x * w.weights[z.index[e] * n + k];
      }
      return;
    }
    in_blocks(n, [&]<std::size_t Vectors>(std::size_t first) {
      floats8 sum[Vectors];
      for (std::size_t i = 0; i < Vectors; ++i)
        sum[i] = w.bias != nullptr ? loaded(w.bias + place(first, i, n)) : floats8{};
      for (std::size_t e = 0; e < z.size; ++e) {
        const float x = Isa::load_one(z.value + e);
        const float* const column = w.weights + z.index[e] * n;
        for (std::size_t i = 0; i < Vectors; ++i) sum[i] += x * loaded(column + place(first, i, n));
      }
      for (std::size_t i = 0; i < Vectors; ++i) store(out + place(first, i, n), sum[i]);
    });
  }

  /// Changes the weights of a row's columns, for n < 8 classes.
  template <bool L2, class Rule>
  static void change_few(const update& u, const Rule& rule, const row& z, std::size_t n) {
    for (std::size_t e = 0; e < z.size; ++e) {
      const std::size_t j = z.index[e];
      const float x = Isa::load_one(z.value + e), factor = rule.l2_factor(u.l2_of != nullptr ? u.l2_of[j] : u.l2);
      for (std::size_t k = 0; k < n; ++k) {
        float none = 0.0f;
        float& w = u.to.weights[j * n + k];
        w = rule.template change<L2>(w, x * u.room[k], factor, Rule::sums ? u.sums.weights[j * n + k] : none);
      }
    }
  }

  /// The same for the classes of a block.
  template <std::size_t Vectors, bool L2, class Rule>
  static void change_block(const update& u, const Rule& rule, const row& z, std::size_t first, std::size_t n) {
    floats8 slope[Vectors];
    for (std::size_t i = 0; i < Vectors; ++i) slope[i] = loaded(u.room + place(first, i, n));
    for (std::size_t e = 0; e < z.size; ++e) {
      const std::size_t j = z.index[e];
      const float x = Isa::load_one(z.value + e);
      const floats8 factor = splat(rule.l2_factor(u.l2_of != nullptr ? u.l2_of[j] : u.l2));
      floats8 w[Vectors], sum[Vectors];
      for (std::size_t i = 0; i < Vectors; ++i) {
        const std::size_t at = j * n + place(first, i, n);
        if constexpr (Rule::sums) sum[i] = loaded(u.sums.weights + at);
        w[i] = rule.template change<L2>(loaded(u.to.weights + at), x * slope[i], factor, sum[i]);
      }
      for (std::size_t i = 0; i < Vectors; ++i) {
        const std::size_t at = j * n + place(first, i, n);
        store(u.to.weights + at, w[i]);
        if constexpr (Rule::sums) store(u.sums.weights + at, sum[i]);
      }
    }
  }

  template <bool L2, class Rule>
  static void train(const update& given, const batch& rows, const score_response& response) {
    const update u = given;  // a copy that no store below can change, for the compiler
    const Rule rule{u.step};
    const std::size_t n = u.to.classes;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const row z(rows, i);
      score(u.to, z, u.room);
      if (!response.derive(response.context, i, u.room) && !L2) continue;
      if (n < width)
        change_few<L2>(u, rule, z, n);
      else
        in_blocks(n, [&]<std::size_t Vectors>(std::size_t first) { change_block<Vectors, L2>(u, rule, z, first, n); });
      for (std::size_t k = 0; u.biases && u.to.bias != nullptr && k < n; ++k) {
        float none = 0.0f;
        u.to.bias[k] = rule.template change<false>(u.to.bias[k], u.room[k], none, Rule::sums ? u.sums.bias[k] : none);
      }
    }
  }
  template <class Rule>
  static void train_by(const update& u, const batch& rows, const score_response& response) {
    (u.l2 != 0.0f || u.l2_of != nullptr ? train<true, Rule> : train<false, Rule>)(u, rows, response);
  }

  static void scores(const class_arrays& from, const batch& rows, float* out) {
    for (std::size_t i = 0; i < rows.rows; ++i) score(from, row(rows, i), out + i * from.classes);
  }

 public:
  static constexpr row_kernels<class_arrays, Index, Value> table{&train_by<sgd_rule>, &train_by<adagrad_rule>, &scores};
};

}  // namespace hogwild::detail
