// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/kernels/field_kernels.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/kernel_step.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Models with factors for fields, row after row, on arrays that nobody else writes meanwhile, or on the array that all
/// workers share: with many columns rows seldom collide, and a gain may be lost. A row changes the parameters as
/// workspace_step does by the model's gradient, except for rounding and for l2 under sgd, which is part of the gradient
/// there and divides the result here.
template <field_model M, class Sharing, class Factor>
class field_step : public kernel_step<M, Sharing, Factor> {
  using base = kernel_step<M, Sharing, Factor>;
  using base::context_, base::model_, base::sums_up_squares, base::update_;

 public:
  field_step(const Sharing& sharing, const M& m, const step_context& context, const sparse_view& data)
      : base(sharing, m, context),
        cursor_(data),
        kernels_(field_kernels_of<Factor>(context.options.dense_isa)),
        space_(m.make_workspace(data, context.options.dense_isa, 2)) {
    update_.l2 = static_cast<float>(context.options.l2);
  }

  /// At most most_rows rows of the data, which have passed ensure().
  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.updates = rows.size()};
    outcome.nonzeros += rows.empty() ? 0 : take(0, rows.front());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      field_row next{};
      if (i + 1 < rows.size()) {
        outcome.nonzeros += take((i + 1) % 2, rows[i + 1]);
        next = space_.example((i + 1) % 2).row();
      }
      const auto& z = space_.example(i % 2);
      update_.room = space_.room(z);
      base::begin_rows(rows[i]);
      float slope = kernels_.score(update_.to, z.row(), update_.room);
      const bool changes = model_.derive(&slope, z.label);
      if ((slope *= z.weight) != 0.0f && changes)
        (sums_up_squares() ? kernels_.adagrad : kernels_.sgd)(update_, z.row(), slope, next);
    }
    return outcome;
  }

 private:
  /// Makes the row example k; returns how many entries it has.
  std::size_t take(std::size_t k, std::size_t row) {
    const sparse_row<float> z = labelled_row(cursor_, row, context_.labels);
    space_.take(k, z);
    return z.size();
  }

  row_cursor cursor_;
  const field_kernels_on<Factor>& kernels_;
  typename M::workspace space_;
};

}  // namespace hogwild
