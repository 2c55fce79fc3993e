// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/row_l2.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/math/proximal.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// How the partials of one row change the parameters, whatever model emits them: each is applied as it is emitted. l2
/// applies to the columns that the row touches (touched_l2): under sgd it divides their parameters after the row's
/// change; under other optimisers it joins the partials (row_l2). l1, under sgd, is applied at the same time by rows of
/// groups: a column's parameters in a group move towards 0 together, or all become 0 (the proximal step of their norm;
/// Yuan and Lin, Model selection and estimation in regression with grouped variables, 2006).
/// Partials are multiplied by the row's weight. Changed parameters are then projected if there is a projection. Belongs
/// to one worker, and must not be moved.
///
/// Models share its code: all but train() is compiled once for each kind of view and optimiser.
template <class View, class Optimizer>
class row_changes {
 public:
  using scalar = typename View::value_type;
  using arrays = trained_arrays<View, Optimizer>;
  using projection = typename gathered_gradients<scalar>::projection;

  /// `gathered`: the policy that gathers these changes; null if none does. `project` may be empty. The
  /// referents of `context`, `gathered` and the model behind `project` outlive this.
  row_changes(const std::vector<parameter_group>& groups, const step_context& context, const arrays& at,
              const gathered_sharing<scalar>* gathered, const projection& project)
      : context_(context),
        optimizer_(at.optimizer),
        l1_{(1.0 - l1_at_the_gate) * context.options.l1 * static_cast<double>(context.rows)},
        l2_{context.options.l2 * static_cast<double>(context.rows)},
        groups_(groups, context, static_cast<bool>(project)),
        ordered_groups_(groups),
        gathered_(gathered, context.options, groups, groups_, project),
        // Gathered sums are projected after they have been added (gathered_gradients.hpp).
        project_(gathered == nullptr ? project : nullptr),
        w_(at.parameters) {
    std::erase_if(ordered_groups_, [&](const parameter_group& g) {
      return !g.l2 || !g.hot_first || g.rows * g.width == 0 || groups_.of(g.offset).frozen;
    });
    if (context.options.optimizer != optimizer_kind::sgd && l2_.l2_rows > 0.0) joins_.emplace(ordered_groups_);
  }

  const step_context& context() const { return context_; }

  void begin(const round_plan& round, double position, const arrays& at) {
    w_ = at.parameters;
    optimizer_ = at.optimizer;
    groups_.begin(round, position);
  }

  /// Applies what emit_partials(emit) emits for the row `z`. Returns whether it changed anything.
  template <class Example, class Note, class F>
  bool train(const Example& z, const Note& note, const F& emit_partials) {
    bool changed = false;
    if (joins_) joins_->begin(z);
    weight_ = static_cast<scalar>(z.weight);
    if (weight_ != scalar(0)) emit_partials(emitter<Note>{*this, note, changed});
    if (l1_.l2_rows + l2_.l2_rows == 0.0) return changed;
    if (joins_)
      step_by_l2_alone();
    else
      shrink_touched(z);
    return true;
  }

 private:
  template <class Note>
  struct emitter {
    row_changes& step;
    const Note& note;
    bool& changed;
    void operator()(std::size_t j, scalar g) const {
      const group_step& group = step.groups_.of(j);
      if (group.frozen) return;
      g *= step.weight_;
      if (step.joins_) {
        scalar l2 = step.w_.load(j);
        step.take_l2(group, j, std::span(&l2, 1));
        g += l2;
      }
      note(j, step.optimizer_.step(j, group.state_of(j), g * step.unit_in(group), step.size_in(group)));
      step.project(group, j, 1);
      changed = true;
    }
    void block(std::size_t offset, std::span<const scalar> partials) const {
      step.groups_.for_parts(offset, partials, [this](const group_step& group, std::size_t first, auto part) {
        if (group.frozen) return;
        note(first, step.w_.load(first));
        step.optimizer_.block(first, group.state_of(first),
                              step.in_unit(group, step.with_l2(group, first, step.weighed(part))), step.size_in(group));
        step.project(group, first, part.size());
        changed = true;
      });
    }
  };

  /// These partials times the row's weight, in memory that the next call reuses.
  std::span<const scalar> weighed(std::span<const scalar> partials) {
    if (weight_ == scalar(1)) return partials;
    weighed_.assign(partials.begin(), partials.end());
    for (scalar& g : weighed_) g *= weight_;
    return weighed_;
  }

  void project(const group_step& group, std::size_t offset, std::size_t n) {
    if (group.projected) change_by_projection(group, offset, n);
  }
  // A call, because few models have one: partials of the others are applied best without it.
  [[gnu::noinline]] void change_by_projection(const group_step& group, std::size_t offset, std::size_t n) {
    if (project_) projected_.change(project_, w_, offset, n, static_cast<scalar>(group.step));
  }

  /// Gathered gradients are multiplied by the unit later, when the sums have been added.
  scalar unit_in(const group_step& group) const { return gathered_.on() ? scalar(1) : static_cast<scalar>(group.unit); }
  /// These partials times the group's unit, in memory that the next call reuses.
  std::span<const scalar> in_unit(const group_step& group, std::span<const scalar> partials) {
    const scalar unit = unit_in(group);
    if (unit == scalar(1)) return partials;
    in_unit_.assign(partials.begin(), partials.end());
    for (scalar& g : in_unit_) g *= unit;
    return in_unit_;
  }
  scalar size_in(const group_step& group) const { return gathered_.on() ? scalar(1) : static_cast<scalar>(group.step); }

  /// The fraction of l2, and of l1, that one occurrence of a column applies.
  double fraction_of(std::size_t column) const { return fraction_of(column, l2_, context_.options.l2); }
  double l1_of(std::size_t column) const {
    return fraction_of(column, l1_, (1.0 - l1_at_the_gate) * context_.options.l1);
  }
  double fraction_of(std::size_t column, const touched_l2& by_degree, double each) const {
    return context_.options.form == l2_form::per_occurrence ? each : by_degree.fraction(context_.degree[column]);
  }

  /// Replaces each of the parameters from `offset` on by the term that l2 adds to its partial.
  void take_l2(const group_step& group, std::size_t offset, std::span<scalar> parameters) {
    joins_->take(offset, parameters,
                 [&](std::size_t column) { return joined_l2(context_.options, group.step, fraction_of(column)); });
  }
  /// The same for n parameters, in memory that the next call reuses.
  std::span<const scalar> l2_of_part(const group_step& group, std::size_t offset, std::size_t n) {
    row_.resize(n);
    w_.load_block(offset, row_);
    take_l2(group, offset, row_);
    return row_;
  }
  std::span<const scalar> with_l2(const group_step& group, std::size_t offset, std::span<const scalar> partials) {
    if (!joins_) return partials;
    l2_of_part(group, offset, partials.size());
    for (std::size_t i = 0; i < partials.size(); ++i) row_[i] += partials[i];
    return row_;
  }
  /// Makes the steps of the parameters of the row's columns that the row has not emitted.
  void step_by_l2_alone() {
    joins_->for_others([this](std::size_t offset, std::size_t n) {
      const group_step& group = groups_.of(offset);
      const std::span<const scalar> part = l2_of_part(group, offset, n);
      if (std::ranges::all_of(part, [](scalar g) { return g == scalar(0); })) return;
      optimizer_.block(offset, group.state_of(offset), in_unit(group, part), size_in(group));
      project(group, offset, n);
    });
  }

  // A call, because it is one for each row: the loop over a row's partials is compiled best without it.
  template <class Example>
  [[gnu::noinline]] void shrink_touched(const Example& z) {
    for (const parameter_group& g : ordered_groups_) {
      const group_step& group = groups_.of(g.offset);
      row_.resize(g.width);
      for (auto [column, x] : z) {
        if (column < g.first_column || column - g.first_column >= g.rows) continue;
        const std::size_t offset = g.offset + (column - g.first_column) * g.width;
        w_.load_block(offset, row_);
        if (std::ranges::all_of(row_, [](scalar w) { return w == scalar(0); })) continue;
        double left = 1.0 / (1.0 + group.step * fraction_of(column));
        if (l1_.l2_rows > 0.0) left *= left_of_row<scalar>(row_, group.step * l1_of(column));
        const auto by = static_cast<scalar>(left - 1.0);
        for (scalar& w : row_) w *= by;
        w_.add_block(offset, row_);
        project(group, offset, g.width);
      }
    }
  }

  step_context context_;
  Optimizer optimizer_;
  touched_l2 l1_, l2_;
  group_steps groups_;
  std::vector<parameter_group> ordered_groups_;  ///< groups to which l1 and l2 apply
  std::optional<row_l2> joins_;                  ///< used if l2 joins partials
  gathered_gradients<scalar> gathered_;
  projection project_;
  View w_;
  scalar weight_ = 1;  ///< of the row being trained
  std::vector<scalar> row_, weighed_, in_unit_;
  projected_run<scalar> projected_;
};

// The views of direct and private sharing. Others are instantiated where they are used.
extern template class row_changes<param_view<float>, sgd<param_view<float>>>;
extern template class row_changes<param_view<float>, block_optimizer<param_view<float>>>;
extern template class row_changes<param_view<float, update::exact>, sgd<param_view<float, update::exact>>>;
extern template class row_changes<param_view<float, update::exact>, block_optimizer<param_view<float, update::exact>>>;
extern template class row_changes<param_view<float, update::locked>, sgd<param_view<float, update::locked>>>;
extern template class row_changes<param_view<float, update::locked>,
                                  block_optimizer<param_view<float, update::locked>>>;

}  // namespace hogwild
