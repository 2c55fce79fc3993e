// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/kernels/factor_kernels.hpp>
#include <hogwild/detail/models/factor_rows.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Ratings as products of factors: the score of item i by user u is
///
///   s = mean + b_u + b_i + p_u . q_i
///
/// and its loss (s - rating)^2 / 2. A row of the data is one user's column and one item's (formats/ratings.hpp): user u
/// is column u, item i column users + i. A column that a row lacks, that of an unknown user for instance, counts as
/// zero.
///
/// Rows of factors are padded to whole cache lines; the padding is zero and stays zero, because its partials are zero.
struct matrix_factorization {
  using scalar_type = float;
  using example_type = sparse_row<float>;
  static constexpr std::string_view name = "matrix_factorization";
  using library_model = matrix_factorization;
  using kernel_model = matrix_factorization;
  static constexpr label_kind labels = label_kind::real;
  static constexpr bool of_ratings = true;  ///< its rows are a user, an item and a rating
  static constexpr std::size_t measured_rows = 200'000;
  static constexpr training_defaults defaults{.step = 0.03, .decay = 0.92, .l2 = 0.04, .form = l2_form::per_occurrence};

  std::size_t users = 0, items = 0;  ///< those in the training data
  std::size_t factors = 32;          ///< > 0
  bool bias = true;                  ///< whether there are b_u and b_i
  float mean = 0.0f;                 ///< mean of the training ratings, which is added to scores

  /// Floats of a row of factors, with padding.
  std::size_t width() const { return (factors + factor_lanes - 1) / factor_lanes * factor_lanes; }
  std::size_t dim() const { return (users + items) * (width() + (bias ? 1 : 0)); }

  std::array<double, 1> hyperparameters() const { return {static_cast<double>(factors)}; }
  std::array<parameter_group, 4> groups() const {
    const std::size_t factors_end = (users + items) * width();
    return {{{.name = "users", .offset = 0, .rows = users, .width = width()},
             {.name = "items", .offset = users * width(), .rows = items, .width = width(), .first_column = users},
             {.name = "user_bias", .offset = factors_end, .rows = bias ? users : 0},
             {.name = "item_bias",
              .offset = factors_end + (bias ? users : 0),
              .rows = bias ? items : 0,
              .first_column = users}}};
  }

  /// Factors are small, so that the biases learn first; biases begin at zero.
  void init(const auto& w, const auto& random) const {
    factor_rows{users + items, width(), factors}.init(w, random, 0.05 / std::sqrt(static_cast<double>(factors)));
  }

  double loss(const auto& w, const example_type& z) const { return loss_of(predict(w, z), z.label); }
  /// Half the square of the distance.
  static double loss_of(float score, float rating) {
    const double error = static_cast<double>(score) - static_cast<double>(rating);
    return 0.5 * error * error;
  }

  float predict(const auto& w, const example_type& z) const {
    const pair found = pair_of(z);
    float score = mean;
    if (bias && found.has_user) score += w[user_bias(found.user)];
    if (bias && found.has_item) score += w[item_bias(found.item)];
    if (!found.has_user || !found.has_item) return score;
    const auto [p, q] = rows_of(w, found);
    return score + dot(p, q);
  }

  void gradient(const auto& w, const example_type& z, const auto& emit) const {
    emit_error(w, z, predict(w, z) - z.label, emit);
  }

 protected:
  /// Emits the partials of a row whose loss has the derivative `error` with respect to its score.
  void emit_error(const auto& w, const example_type& z, float error, const auto& emit) const {
    const pair found = pair_of(z);
    if (error == 0.0f) return;
    if (found.has_user && found.has_item) {
      const auto [p, q] = rows_of(w, found);
      for (float& x : p) x *= error;
      for (float& x : q) x *= error;
      emit.block(found.user * width(), q);
      emit.block((users + found.item) * width(), p);
    }
    if (bias && found.has_user) emit(user_bias(found.user), error);
    if (bias && found.has_item) emit(item_bias(found.item), error);
  }

 private:
  struct pair {
    std::size_t user = 0, item = 0;
    bool has_user = false, has_item = false;
  };

  /// Columns beyond those of the model belong to no user or item.
  pair pair_of(const example_type& z) const {
    pair found;
    for (const std::uint32_t column : z.index) {
      if (column < users)
        found.user = column, found.has_user = true;
      else if (column - users < items)
        found.item = column - users, found.has_item = true;
    }
    return found;
  }
  struct pair_of_rows {
    std::span<float> user, item;
  };
  /// Copies of both rows, in memory that this thread's next call reuses.
  pair_of_rows rows_of(const auto& w, const pair& found) const {
    thread_local std::vector<float> copies;
    copies.resize(2 * width());
    const pair_of_rows rows{std::span(copies).first(width()), std::span(copies).last(width())};
    w.block(found.user * width(), width()).copy_to(rows.user);
    w.block((users + found.item) * width(), width()).copy_to(rows.item);
    return rows;
  }
  /// Sixteen sums side by side, so that the compiler can vectorise without reordering.
  static float dot(std::span<const float> p, std::span<const float> q) {
    float sums[factor_lanes] = {};
    for (std::size_t k = 0; k < p.size(); k += factor_lanes) {
      for (std::size_t lane = 0; lane < factor_lanes; ++lane) sums[lane] += p[k + lane] * q[k + lane];
    }
    float sum = 0.0f;
    for (const float x : sums) sum += x;
    return sum;
  }
  std::size_t user_bias(std::size_t user) const { return (users + items) * width() + user; }
  std::size_t item_bias(std::size_t item) const { return user_bias(users) + item; }
};

}  // namespace hogwild
