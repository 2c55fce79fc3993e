// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/model.hpp>

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
    T touches = -1;          ///< how many examples regularise them, if the model says so; else below 0
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
  /// Emits the sum of the partials of several examples, of which `touches` regularise these parameters by the whole of
  /// l2 each.
  void touched_block(std::size_t offset, std::span<const T> partials, T touches) const {
    apply_(to_, offset, partials, {.touches = touches});
  }

 private:
  void* to_;
  apply_function apply_;
};

/// How the partials of a batch change the parameters, whatever workspace model emits them: each run is applied as it is
/// emitted. l2 * w is added if its group has l2, the optimiser changes the parameters, and they are projected if there
/// is a projection. Belongs to one worker, and must not be moved.
///
/// Optimisers that fade owe steps to the rows of a lazy group that a batch does not have; settle() makes them.
///
/// Models share its code: all but train() is compiled once for each kind of view and optimiser.
template <class View, class Optimizer>
class batch_changes {
 public:
  using scalar = typename View::value_type;
  using arrays = trained_arrays<View, Optimizer>;
  using projection = typename gathered_gradients<scalar>::projection;
  using emit_type = block_emit<scalar>;

  /// `lazy`: the group whose rows a batch emits only if it has their columns; no rows if there is none. `gathered`: the
  /// policy that gathers these changes; null if none does. `project` may be empty. The
  /// referents of `context`, `gathered` and the model behind `project` outlive this.
  batch_changes(const std::vector<parameter_group>& groups, const parameter_group& lazy, const step_context& context,
                const arrays& at, const gathered_sharing<scalar>* gathered, const projection& project)
      : context_(context),
        optimizer_(at.optimizer),
        groups_(groups, context, static_cast<bool>(project)),
        lazy_(lazy),
        gathered_(gathered, context.options, groups, groups_, project),
        // Gathered sums are projected after they have been added (gathered_gradients.hpp).
        project_(gathered == nullptr ? project : nullptr),
        w_(at.parameters) {
    if constexpr (may_fade)
      if (gathered == nullptr && lazy.rows > 0 && Optimizer::fades(context.options.optimizer) &&
          !groups_.of(lazy.offset).frozen)
        settled_.resize(lazy.rows);
  }

  const step_context& context() const { return context_; }

  void begin(const round_plan& round, double position, const arrays& at) {
    w_ = at.parameters;
    optimizer_ = at.optimizer;
    groups_.begin(round, position);
  }

  /// Whether batches owe steps to rows that they do not have.
  bool owes() const { return !settled_.empty(); }

  /// Makes the steps that this worker's batches without the column owe it.
  void settle(std::size_t column) {
    if constexpr (may_fade) {
      const std::size_t offset = lazy_.offset + column * lazy_.width;
      optimizer_.settle(offset, lazy_.width, batches_ - settled_[column], static_cast<scalar>(groups_.of(offset).step));
      settled_[column] = batches_;
    }
  }
  void settle_all() {
    for (std::size_t column = 0; batches_ > 0 && column < settled_.size(); ++column) settle(column);
  }

  /// Calls gradient(emit) for a batch. Partials are multiplied by `times`. Runs that every batch emits take the
  /// fraction `part` of l2.
  template <class F>
  void train(scalar times, double part, const F& gradient) {
    times_ = times;
    part_ = part;
    gradient(emit_type(this, [](void* self, std::size_t offset, std::span<const scalar> partials, const sparse& of) {
      static_cast<batch_changes*>(self)->apply(offset, partials, of);
    }));
    ++batches_;
  }

 private:
  static constexpr bool may_fade = requires { Optimizer::fades(optimizer_kind::sgd); };
  using sparse = typename emit_type::sparse;

  void apply(std::size_t offset, std::span<const scalar> partials, const sparse& of) {
    groups_.for_parts(offset, partials,
                      [&](const group_step& group, std::size_t first, auto part) { apply_in(group, first, part, of); });
  }

  /// The l2 with which a batch regularises these parameters: for those that every batch emits, the options' l2 times
  /// part_. For others it is larger, so that its sum over an epoch is the same (joined_l2()).
  scalar l2_of(const group_step& group, const sparse& of) const {
    const loop_options& o = context_.options;
    if (of.touches >= scalar(0)) return static_cast<scalar>(static_cast<double>(of.touches) * o.l2);
    if (of.examples == scalar(0)) return static_cast<scalar>(part_ * o.l2);
    const double times = of.chance > scalar(0) ? 1.0 / static_cast<double>(of.chance)
                                               : static_cast<double>(of.examples) * static_cast<double>(context_.rows) /
                                                     std::max(context_.degree[of.column], 1u);
    return static_cast<scalar>(joined_l2(o, group.step, o.l2 * times));
  }

  void apply_in(const group_step& group, std::size_t offset, std::span<const scalar> partials, const sparse& of) {
    if (group.frozen) return;
    const scalar size = times_ * (gathered_.on() ? scalar(1) : static_cast<scalar>(group.step));
    if (owes() && of.examples > scalar(0) && of.chance == scalar(0)) settled_[of.column] = batches_ + 1;
    if (!group.l2 || of.touches == scalar(0)) return change(group, offset, partials, size, of);
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
      optimizer_.block(offset + i, group.state_of(offset + i), g.subspan(i, std::min(run, g.size() - i)), size);
    if (group.projected && project_) projected_.change(project_, w_, offset, g.size(), static_cast<scalar>(group.step));
  }

  step_context context_;
  Optimizer optimizer_;
  group_steps groups_;
  parameter_group lazy_;
  gathered_gradients<scalar> gathered_;
  projection project_;
  View w_;
  std::vector<scalar> row_;
  projected_run<scalar> projected_;
  scalar times_ = 1;
  double part_ = 1.0;
  std::uint32_t batches_ = 0;           ///< of this worker in this round
  std::vector<std::uint32_t> settled_;  ///< for each lazy row, the batches whose steps were made; empty: none are owed
};

// The views of direct and private sharing. Others are instantiated where they are used.
extern template class batch_changes<param_view<float>, sgd<param_view<float>>>;
extern template class batch_changes<param_view<float>, block_optimizer<param_view<float>>>;
extern template class batch_changes<param_view<float, update::exact>, sgd<param_view<float, update::exact>>>;
extern template class batch_changes<param_view<float, update::exact>,
                                    block_optimizer<param_view<float, update::exact>>>;
extern template class batch_changes<param_view<float, update::locked>, sgd<param_view<float, update::locked>>>;
extern template class batch_changes<param_view<float, update::locked>,
                                    block_optimizer<param_view<float, update::locked>>>;

}  // namespace hogwild
