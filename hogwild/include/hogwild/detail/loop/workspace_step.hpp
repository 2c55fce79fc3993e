// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/detail/loop/batch_step.hpp>
#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/owed_steps.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/worker/turn_source.hpp>

namespace hogwild {

/// A workspace model emits its partials through this. It is one type for all steps and optimisers, so the model's
/// gradient() is compiled only once for each type of reader.
template <parameter T>
class block_emit {
 public:
  /// Describes parameters that not every batch emits.
  struct sparse {
    std::size_t column = 0;  ///< a batch without this column does not emit them
    T examples = 0;          ///< the fraction of the batch's examples that have the column; 0: every batch emits them
    T chance = 0;            ///< for parameters of no column: the fraction of batches that emit them; else 0
  };
  using apply_function = void (*)(void*, std::size_t offset, std::span<const T> partials, const sparse& of);

  block_emit(void* to, apply_function apply) : to_(to), apply_(apply) {}
  void block(std::size_t offset, std::span<const T> partials) const { apply_(to_, offset, partials, {}); }
  void sparse_block(std::size_t column, std::size_t offset, std::span<const T> partials, T examples) const {
    apply_(to_, offset, partials, {column, examples});
  }
  /// Emits partials of parameters that only a fraction `chance` of all batches emits.
  void rare_block(std::size_t offset, std::span<const T> partials, T chance) const {
    apply_(to_, offset, partials, {.examples = T(1), .chance = chance});
  }

 private:
  void* to_;
  apply_function apply_;
};

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

/// Trains models with a workspace, options.batch examples at a time. Emitted partials are applied at once: l2 * w is
/// added if their group has l2, the optimiser changes the parameters, and the model projects them, if it has project().
/// A batch emits each parameter with l2 once, so this is the gradient of the mean loss plus l2 / 2 * ||w||^2. In an
/// occurrence_model each example emits it, with l2 divided by the number of examples in the batch.
///
/// Under momentum and adam, each batch owes a step to the rows of a lazy model that it does not have. Each worker makes
/// the steps that its own batches owe a row before it reads the row; for all rows it makes them before a mean is taken
/// and at the end of a round, or of a chunk if its arrays then pass to another worker. So velocities and means fade
/// with the batches of all workers, as if each batch emitted all rows. If workers share arrays, one may fade what
/// another has just added.
template <class M, class Sharing, class Optimizer>
class workspace_step : public Sharing {
 public:
  using scalar = typename M::scalar_type;
  static constexpr std::size_t most_rows = most_examples;

  workspace_step(const Sharing& sharing, const M& m, const step_context& context, const sparse_view& data)
      : Sharing(sharing),
        model_(m),
        context_(context),
        cursor_(data),
        optimizer_(optimizer_on<Optimizer>(sharing, context.options)),
        groups_(groups_of(m), context),
        gathered_(gathered_sharing_of<Sharing>(*this), context.options, groups_of(m), groups_,
                  projection_of<scalar>(m)),
        w_(Sharing::parameters()),
        space_(training_workspace(m, data, context.labels, context.options.dense_isa, batch())) {
    if constexpr (settles) {
      const parameter_group lazy = m.lazy_group();
      if (lazy.rows > 0 && Optimizer::fades(context.options.optimizer) && !groups_.of(lazy.offset).frozen)
        settled_.resize(lazy.rows);
    }
    if constexpr (stoppable_workspace<typename M::workspace>) {
      if (context.control != nullptr) space_.stop_when([at = context.control] { return at->stopping(); });
    }
  }

  void begin(const round_plan& round, double position) {
    w_ = Sharing::parameters();
    optimizer_ = optimizer_on<Optimizer>(*this, context_.options);
    groups_.begin(round, position);
    pass_ = round.pass;
  }
  /// Replicas exchange between batches. In lockstep all ranks have to meet after exactly the same number of rows.
  std::size_t rows_to_exchange() const {
    return in_lockstep(context_.options.sharing) ? std::min(batch(), Sharing::rows_to_exchange()) : batch();
  }

  void exchange(std::size_t rows, race_probe& probe) {
    if constexpr (settles) {
      if (is_averaged_after<Sharing>(rows, *this, context_.options)) settle_all();
    }
    Sharing::exchange(rows, probe);
  }

  /// A worker that trains for several virtual workers settles at the end of each chunk, since another worker may train
  /// for that virtual worker next.
  void end_round() {
    if constexpr (!std::derived_from<Sharing, virtual_replicas>) settle_all();
    Sharing::end_round();
  }
  void end_chunk() {
    if constexpr (std::derived_from<Sharing, virtual_replicas>) settle_all();
    Sharing::end_chunk();
  }

  batch_outcome train_batch(std::span<const std::size_t> rows) {
    batch_outcome outcome{.updates = rows.size()};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const sparse_row<float> z = labelled_row(cursor_, rows[k], context_.labels);
      outcome.nonzeros += z.size();
      model_.take(space_, k, z, counter_random(context_.options.seed ^ mix_bits(pass_), rows[k]));
    }
    const block_emit<scalar> emit(
        this, [](void* self, std::size_t offset, std::span<const scalar> partials, const sparse& of) {
          static_cast<workspace_step*>(self)->apply(offset, partials, of);
        });
    if constexpr (occurrence_model<M>) part_ = 1.0 / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    // Sharing divides the sum of changes by the number of all rows, so the mean of this batch is multiplied by its
    // rows.
    if constexpr (Sharing::traits.gathers && !emits_sums<M>) rows_of_mean_ = static_cast<scalar>(rows.size());
    if constexpr (settles) {
      if (!settled_.empty())
        for (const std::uint32_t column : model_.columns_of(space_, rows.size())) settle(column);
    }
    model_.gradient(Sharing::reader(), space_, rows.size(), emit);
    ++batches_;
    return outcome;
  }

 private:
  static constexpr bool settles = lazy_model<M> && !Sharing::traits.gathers && requires {
    Optimizer::fades(optimizer_kind::sgd);
  };
  static constexpr bool projects = projects_runs<M, scalar>;

  std::size_t batch() const { return std::clamp<std::size_t>(context_.options.batch, 1, most_examples); }

  using sparse = typename block_emit<scalar>::sparse;

  void apply(std::size_t offset, std::span<const scalar> partials, const sparse& of) {
    groups_.for_parts(offset, partials,
                      [&](const group_step& group, std::size_t first, auto part) { apply_in(group, first, part, of); });
  }

  /// Makes the steps that this worker's batches without the column owe it.
  void settle(std::size_t column) requires settles {
    const parameter_group lazy = model_.lazy_group();
    const std::size_t offset = lazy.offset + column * lazy.width;
    optimizer_.settle(offset, lazy.width, batches_ - settled_[column], static_cast<scalar>(groups_.of(offset).step));
    settled_[column] = batches_;
  }
  void settle_all() {
    if constexpr (settles) {
      for (std::size_t column = 0; batches_ > 0 && column < settled_.size(); ++column) settle(column);
    }
  }

  /// The l2 with which a batch regularises these parameters: for those that every batch emits, the options' l2 times
  /// part_. For others it is larger, so that its sum over an epoch is the same (joined_l2()).
  scalar l2_of(const group_step& group, const sparse& of) const {
    const loop_options& o = context_.options;
    if (of.examples == scalar(0)) return static_cast<scalar>(part_ * o.l2);
    const double times = of.chance > scalar(0) ? 1.0 / static_cast<double>(of.chance)
                                               : static_cast<double>(of.examples) * static_cast<double>(context_.rows) /
                                                     std::max(context_.degree[of.column], 1u);
    return static_cast<scalar>(joined_l2(o, group.step, o.l2 * times));
  }

  void apply_in(const group_step& group, std::size_t offset, std::span<const scalar> partials, const sparse& of) {
    if (group.frozen) return;
    const scalar size = rows_of_mean_ * (gathered_.on() ? scalar(1) : static_cast<scalar>(group.step));
    if constexpr (settles) {
      if (!settled_.empty() && of.examples > scalar(0) && of.chance == scalar(0)) settled_[of.column] = batches_ + 1;
    }
    if (!group.l2) return change(group, offset, partials, size, of);
    row_.resize(partials.size());
    w_.load_block(offset, row_);
    const scalar l2 = l2_of(group, of);
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = partials[i] + l2 * row_[i];
    change(group, offset, row_, size, of);
  }

  void change(const group_step& group, std::size_t offset, std::span<const scalar> g, scalar size, const sparse& of) {
    // Only the rare batches would let this velocity decay, and no owed steps are made, so the total of all later steps
    // is made at once.
    if (of.chance > scalar(0) && context_.options.optimizer == optimizer_kind::momentum && !gathered_.on())
      return w_.add_scaled_block(offset, g, -size / static_cast<scalar>(1.0 - context_.options.constants.momentum));
    // row_adagrad keeps one sum for each run of parameters, though a net may emit several runs at a time.
    const std::size_t run = context_.options.optimizer == optimizer_kind::row_adagrad ? group.run : g.size();
    for (std::size_t i = 0; i < g.size(); i += run)
      optimizer_.block(offset + i, g.subspan(i, std::min(run, g.size() - i)), size);
    // If gradients are gathered, parameters are projected after the sums are added (gathered_gradients.hpp).
    if constexpr (projects && !Sharing::traits.gathers) {
      if (group.projected) projected_.change(model_, w_, offset, g.size(), static_cast<scalar>(group.step));
    }
  }

  const M& model_;
  step_context context_;
  row_cursor cursor_;
  Optimizer optimizer_;
  group_steps groups_;
  gathered_gradients<scalar> gathered_;
  typename Sharing::view_type w_;
  typename M::workspace space_;
  std::vector<scalar> row_;
  projected_run<scalar> projected_;
  std::uint64_t pass_ = 0;
  scalar rows_of_mean_ = 1;
  double part_ = 1.0;                   ///< for an occurrence_model: 1 / examples of the batch
  std::uint32_t batches_ = 0;           ///< of this worker in this round
  std::vector<std::uint32_t> settled_;  ///< for each lazy row, the batches whose steps were made; empty: none are owed
};

}  // namespace hogwild
