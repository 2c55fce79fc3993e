// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/loop/batch_labels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/kernel_step.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Models that row kernels train. A row changes the parameters as general_step does by the model's gradient, except for
/// rounding.
template <row_kernel_model M, class Sharing, class Factor, class Index, class Value>
class row_kernel_step : public kernel_step<M, Sharing, Factor> {
  using base = kernel_step<M, Sharing, Factor>;
  using base::context_, base::model_, base::sums_up_squares, base::update_;

 public:
  row_kernel_step(const Sharing& sharing, const M& m, const step_context& context, const sparse_view& data)
      : base(sharing, m, context),
        data_(data),
        kernels_(row_kernels_of<arrays, Index, Value>(context.options.isa)),
        room_(m.kernel_room()),
        batch_(batch_on<Index, Value>(data)),
        labels_(data) {
    const loop_options& o = context.options;
    update_.room = room_.data();
    if constexpr (is_linear<M>()) {
      own_biases_ = std::exchange(update_.biases, false) && model_.bias;
      if (sums_up_squares()) unit_ = adagrad_unit(o);
    }
    if (o.l2 == 0.0) return;
    if (o.form == l2_form::per_occurrence) {
      update_.l2 = static_cast<float>(o.l2) * unit_;
      return;
    }
    l2_ = fractions_of_l2(context, data.columns);
    for (float& fraction : l2_) fraction *= unit_;
    update_.l2_of = l2_.data();
  }

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.nonzeros = take_rows(batch_, data_, rows)};
    const bool lists = takes_lists<M>() && data_.label.lists();
    rows_ = rows;
    labels_.take(data_, context_.labels, rows);
    updates_ = 0;
    if (!rows.empty()) base::begin_rows(rows.front());
    (sums_up_squares() ? kernels_.adagrad : kernels_.sgd)(
        update_, batch_,
        lists ? response_of<score_response, &row_kernel_step::derive_list>(this)
              : response_of<score_response, &row_kernel_step::derive>(this));
    outcome.updates = context_.options.l2 > 0.0 ? rows.size() : updates_;
    return outcome;
  }

 private:
  using typename base::arrays;

  bool derive(std::size_t i, float* scores) { return weigh(i, scores, model_.derive(scores, labels_[i])); }
  bool derive_list(std::size_t i, float* scores) {
    bool changes = false;
    if constexpr (takes_lists<M>())
      changes = model_.derive(scores, context_.labels.encode_list(data_.label, rows_[i], classes_));
    return weigh(i, scores, changes);
  }

  /// Multiplies the partials by the row's weight; returns whether anything changes.
  bool weigh(std::size_t i, float* partials, bool changes) {
    if (changes && labels_.weighed()) {
      const std::span<float> all(partials, update_.to.scores());
      for (float& g : all) g = labels_.weigh(i, g);
      changes = std::ranges::any_of(all, [](float g) { return g != 0.0f; });
    }
    updates_ += changes;
    if constexpr (is_linear<M>())
      if (changes) change_biases(partials);
    return changes;
  }

  /// Changes the biases of linear models, whose step differs from that of the columns (bias_step.hpp). Leaves the
  /// partials in the unit of the columns.
  void change_biases(float* partials) {
    const float size = update_.step * bias_step_factor(context_.options);
    for (std::size_t k = 0; own_biases_ && k < model_.classes; ++k) {
      if (sums_up_squares())
        step_bias_by_adagrad(update_.to.bias[k], update_.sums.bias[k], partials[k], size);
      else
        update_.to.bias[k] -= size * partials[k];
    }
    for (std::size_t k = 0; unit_ != 1.0f && k < model_.classes; ++k) partials[k] *= unit_;
  }

  sparse_view data_;
  const row_kernels<arrays, Index, Value>& kernels_;
  bool own_biases_ = false;       ///< a linear model's biases change here, not in the kernel
  float unit_ = 1.0f;             ///< of linear models under adagrad (adagrad_unit)
  std::vector<float> room_, l2_;  ///< `l2_`: of each column, if it differs between columns
  row_batch<Index, Value> batch_;
  batch_labels labels_;
  std::span<const std::size_t> rows_;   ///< of the batch
  std::vector<std::uint32_t> classes_;  ///< of one row, if rows have lists
  std::uint64_t updates_ = 0;
};

}  // namespace hogwild
