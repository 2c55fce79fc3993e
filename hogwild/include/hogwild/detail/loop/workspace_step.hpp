// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/batch_changes.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>

namespace hogwild {

/// Whether a workspace model emits each example's own gradient, rather than their mean.
template <class M>
inline constexpr bool emits_sums = requires {
  requires M::emits_sums;
};

/// Models that do not emit the parameters of columns that are not in the batch. lazy_group() has a row for each column;
/// the partials of rows whose columns are not in the batch are 0 and are not emitted. If the group has no rows, all
/// partials are emitted. columns_of(space, n) returns the columns of examples 0 .. n-1, valid until the next take().
template <class M>
concept lazy_model = workspace_model<M> && requires(const M& m, typename M::workspace& space, std::size_t n) {
  { m.lazy_group() } -> std::same_as<parameter_group>;
  { m.columns_of(space, n) } -> std::same_as<std::span<const std::uint32_t>>;
};

/// Models with l2 by occurrence (l2_form::per_occurrence in their defaults): each example regularises the parameters
/// that it touches. It emits each of them once, even if other examples of the batch do too. squares_touched(w, space,
/// k) returns the sum of the squares of the parameters that example k regularises, at w; 0 if it changes nothing.
template <class M>
concept occurrence_model = workspace_model<M> &&
    requires(const M& m, std::span<const typename M::scalar_type> w, typename M::workspace& space, std::size_t k) {
  { m.squares_touched(w, space, k) } -> std::same_as<double>;
};

/// The most examples that a workspace model takes at once.
inline constexpr std::size_t most_examples = 256;

/// Trains models with a workspace, options.batch examples at a time; batch_changes applies what they emit. A batch
/// emits each parameter with l2 once, so this is the gradient of the mean loss plus l2 / 2 * ||w||^2. In an
/// occurrence_model each example emits it, with l2 divided by the number of examples in the batch.
///
/// Under optimisers that fade, each batch owes a step to the rows of a lazy model that it does not have. Each worker
/// makes the steps that its own batches owe a row before it reads the row; for all rows it makes them before a mean is
/// taken and at the end of a round, or of a chunk if its arrays then pass to another worker. So velocities and means
/// fade with the batches of all workers, as if each batch emitted all rows. If workers share arrays, one may fade what
/// another has just added.
template <class M, class Sharing, class Optimizer>
class workspace_step : public settled_sharing<workspace_step<M, Sharing, Optimizer>, Sharing> {
  using settled = settled_sharing<workspace_step, Sharing>;

 public:
  using scalar = typename M::scalar_type;
  static constexpr std::size_t most_rows = most_examples;

  workspace_step(const Sharing& sharing, const M& m, const step_context& context, const sparse_view& data,
                 const side_data_t<M>& side)
      : settled(sharing, context.options.sharing),
        model_(m),
        cursor_(data),
        changes_(groups_of(m), lazy_group_of(m), context, arrays_on<Optimizer>(sharing, context.options),
                 gathered_sharing_of<Sharing>(*this), projection_of<scalar>(m)),
        space_(training_workspace(m, data, context.labels, side, context.options.dense_isa, batch())) {
    if constexpr (stoppable_workspace<typename M::workspace>) {
      if (context.control != nullptr) space_.stop_when([at = context.control] { return at->stopping(); });
    }
  }

  void begin(const round_plan& round, double position) {
    changes_.begin(round, position, arrays_on<Optimizer, Sharing>(*this, options()));
    pass_ = round.pass;
  }
  /// Replicas exchange between batches. In lockstep all ranks have to meet after exactly the same number of rows.
  std::size_t rows_to_exchange() const {
    return in_lockstep(options().sharing) ? std::min(batch(), Sharing::rows_to_exchange()) : batch();
  }

  void settle_all() { changes_.settle_all(); }

  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.updates = rows.size()};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const sparse_row<float> z = labelled_row(cursor_, rows[k], changes_.context().labels);
      outcome.nonzeros += z.size();
      model_.take(space_, k, z, counter_random(options().seed ^ mix_bits(pass_), rows[k]));
    }
    if constexpr (lazy_model<M>) {
      if (changes_.owes())
        for (const std::uint32_t column : model_.columns_of(space_, rows.size())) changes_.settle(column);
    }
    // Sharing divides the sum of changes by the number of all rows, so the mean of this batch is multiplied by its
    // rows.
    const auto times = static_cast<scalar>(Sharing::traits.gathers && !emits_sums<M> ? rows.size() : 1);
    const double part = occurrence_model<M> ? 1.0 / static_cast<double>(std::max<std::size_t>(rows.size(), 1)) : 1.0;
    changes_.train(times, part,
                   [&](const auto& emit) { model_.gradient(Sharing::reader(), space_, rows.size(), emit); });
    return outcome;
  }

 private:
  static parameter_group lazy_group_of(const M& m) {
    if constexpr (lazy_model<M>) return m.lazy_group();
    return {};
  }
  const loop_options& options() const { return changes_.context().options; }
  std::size_t batch() const { return std::clamp<std::size_t>(options().batch, 1, most_examples); }

  const M& model_;
  row_cursor cursor_;
  batch_changes<typename Sharing::view_type, Optimizer> changes_;
  typename M::workspace space_;
  std::uint64_t pass_ = 0;
};

}  // namespace hogwild
