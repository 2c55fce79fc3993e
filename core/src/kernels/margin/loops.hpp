// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/kernels/margin_kernels.hpp>

#include "kernels/gathered_values.hpp"
#include "kernels/margin/dense.hpp"
#include "kernels/margin/fading.hpp"
#include "kernels/row_rules.hpp"

// The loops that all instruction sets share. Each instruction set's type belongs to its own file, so that template
// instances with it do as well: if files shared them, the linker might keep a copy that this CPU cannot run. For the
// same reason nothing here calls an inline function of other headers on floats.

namespace hogwild::detail {

/// For a row of at most this many entries the weights that its dot has read are kept for its update.
inline constexpr std::size_t most_kept = 1024;

/// A model of register_columns parameters: half of AVX-512's registers, with eight floats each.
template <class Isa>
class register_model {
 public:
  register_model(const float* w, std::size_t columns) {
    __builtin_memset(block_, 0, sizeof block_);
    __builtin_memcpy(block_, w, columns * sizeof(float));
  }

  void store(float* w, std::size_t columns) const { __builtin_memcpy(w, block_, columns * sizeof(float)); }

  float dot(const float* x) const {
    floats8 product[blocks];
    for (std::size_t b = 0; b < blocks; ++b) product[b] = block_[b] * loaded(x + b * width);
    return sum(product);
  }
  static float dot(const float* x, const float* z) {
    floats8 product[blocks];
    for (std::size_t b = 0; b < blocks; ++b) product[b] = loaded(x + b * width) * loaded(z + b * width);
    return sum(product);
  }

  void add(float change, const float* x) {
    for (std::size_t b = 0; b < blocks; ++b) block_[b] += change * loaded(x + b * width);
  }

 private:
  static constexpr std::size_t blocks = register_columns / width;

  static float sum(floats8 (&a)[blocks]) {
    for (std::size_t half_of = blocks / 2; half_of > 0; half_of /= 2) {
      for (std::size_t b = 0; b < half_of; ++b) a[b] += a[b + half_of];
    }
    return total(a[0]);
  }

  floats8 block_[blocks];
};

template <class Isa, class Index, class Value>
struct margin_loops {
  using batch = row_batch<Index, Value>;
  using rules = row_rules<Isa>;
  using entries = typename rules::template entries<Index, Value>;
  using dense = dense_loops<Isa>;

  /// Keep: also leaves the weights of the whole vectors in `kept`.
  template <bool Keep = false>
  static float dot(const float* w, const Index* index, const Value* value, std::size_t n, float* kept = nullptr) {
    using many = typename Isa::entries_at_once;
    constexpr std::size_t at_once = sizeof(many) / sizeof(float);
    rules::announce(index, n);
    rules::announce(value, n);
    floats8 sum{};
    std::size_t k = 0;
    for (; k + at_once <= n; k += at_once) {
      const many weights = Isa::gather(w, index + k);
      if constexpr (Keep) rules::store(kept + k, weights);
      sum = added(sum, weights * Isa::load_entries(value + k));
    }
    if constexpr (at_once > width) {
      if (k + width <= n) {
        sum = added(sum, gathered(w, index + k) * Isa::load(value + k));
        k += width;
      }
    }
    float rest = 0.0f;
    for (; k < n; ++k) rest += w[index[k]] * Isa::load_one(value + k);
    return total(sum) + rest;
  }

  static void dots(const float* w, const batch& rows, float* out) {
    if (rows.dense && rows.rows > 0) return dense::dots(w, rows, out);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      out[i] = dot(w, rows.index + rows.begin[i], rows.value + rows.begin[i], rows.end[i] - rows.begin[i]);
    }
  }

  static void update(float* w, const Index* index, const Value* value, std::size_t n, float change) {
    std::size_t k = 0;
    for (; k + width <= n; k += width) {
      const floats8 product = change * Isa::load(value + k);
      for (std::size_t l = 0; l < width; ++l) w[index[k + l]] += product[l];
    }
    for (; k < n; ++k) w[index[k]] += change * Isa::load_one(value + k);
  }

  static void updates(float* w, const batch& rows, const float* change) {
    if (rows.dense && rows.rows > 0) return dense::updates(w, rows, change);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (change[i] == 0.0f) continue;
      update(w, rows.index + rows.begin[i], rows.value + rows.begin[i], rows.end[i] - rows.begin[i], change[i]);
    }
  }

  static void steps(float* w, std::size_t columns, const batch& rows, const row_response& response) {
    if (rows.rows == 0) return;
    alignas(64) float x[batch_rows][register_columns];
    __builtin_memset(x, 0, rows.rows * sizeof x[0]);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      for (std::size_t k = 0; k < z.size; ++k) x[i][z.index[k]] = Isa::load_one(z.value + k);
    }
    register_model<Isa> model(w, columns);
    float dot = model.dot(x[0]);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      // The next row's dot is computed before this row's update and corrected afterwards, so that it need not wait for
      // the response: (w + c x) . z = w . z + c (x . z).
      const float* next = x[i + 1 < rows.rows ? i + 1 : i];
      const float before = model.dot(next), overlap = register_model<Isa>::dot(x[i], next);
      const float change = response.change(response.context, i, dot);
      dot = before;
      if (change == 0.0f) continue;
      dot = before + change * overlap;
      model.add(change, x[i]);
    }
    model.store(w, columns);
  }

  template <bool L2>
  static void train(const row_update<margin_arrays>& given, const batch& rows, const row_response& response) {
    const row_update<margin_arrays> u = given;  // a copy that no store below can change, for the compiler
    const typename rules::adagrad_rule rule{u.step};
    float room[most_kept];
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const entries z(rows, i);
      float* const kept = z.size <= most_kept ? room : nullptr;
      const float sum = kept != nullptr ? dot<true>(u.to.weights, z.index, z.value, z.size, kept)
                                        : dot(u.to.weights, z.index, z.value, z.size);
      const float slope = response.change(response.context, i, u.to.bias != nullptr ? sum + *u.to.bias : sum);
      if (slope == 0.0f && !L2) continue;
      rules::template change_weights<L2>(u, rule, z, slope, kept);
      if (u.to.bias != nullptr) *u.to.bias = rule.template change<false>(*u.to.bias, slope, 0.0f, *u.sums.bias);
    }
  }
  static void adagrad(const row_update<margin_arrays>& u, const batch& rows, const row_response& response) {
    (u.l2 != 0.0f || u.l2_of != nullptr ? train<true> : train<false>)(u, rows, response);
  }

  template <class Rule>
  using fading = fading_loops<Isa, Rule, Index, Value, margin_loops>;
  using momentum = fading<typename fading_rules<Isa>::momentum>;
  using adam = fading<typename fading_rules<Isa>::adam>;

  static constexpr margin_kernels<Index, Value> table{
      dots, updates, steps, adagrad, {momentum::train, momentum::settle}, {adam::train, adam::settle}};
};

}  // namespace hogwild::detail
