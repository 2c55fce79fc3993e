// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/step.hpp>

namespace hogwild {

/// Any model that says what one row changes: each partial is applied as it is emitted, then l2 shrinks what the row
/// touched (touched_l2): by its division where steps are those of the gradient, as a partial of its own under an
/// optimiser that scales them by what it has summed up.
template <class M, class Sharing, class Optimizer>
class general_step : public Sharing {
 public:
  using scalar = typename M::scalar_type;

  general_step(const Sharing& sharing, const M& m, const step_context& context)
      : Sharing(sharing),
        model_(m),
        context_(context),
        optimizer_(optimizer_on<Optimizer>(sharing, context.options)),
        l2_{context.options.l2 * static_cast<double>(context.rows)},
        ordered_groups_(groups_of(m)),
        groups_(groups_of(m), context),
        gathered_(gathered_sharing_of<Sharing>(*this), context.options, groups_of(m), groups_),
        w_(Sharing::parameters()) {
    std::erase_if(ordered_groups_, [](const parameter_group& g) { return !g.l2 || !g.hot_first || g.rows == 0; });
  }

  void begin(const round_plan& round, double position) {
    w_ = Sharing::parameters();
    optimizer_ = optimizer_on<Optimizer>(*this, context_.options);
    groups_.begin(round, position);
  }
  typename M::example_type example(row_cursor& rows, std::size_t r) const {
    return labelled_row(rows, r, context_.labels);
  }

  template <class Reader, class Note>
  bool train(const Reader& w, const typename M::example_type& z, const Note& note) {
    bool changed = false;
    const emitter<Note> emit{*this, note, changed};
    model_.gradient(w, z, emit);
    if (l2_.l2_rows > 0.0) {
      regularise_touched(z);
      changed = true;
    }
    return changed;
  }

 private:
  template <class Note>
  struct emitter {
    general_step& step;
    const Note& note;
    bool& changed;
    void operator()(std::size_t j, scalar g) const {
      const group_step& group = step.groups_.of(j);
      if (group.frozen) return;
      note(j, step.optimizer_.step(j, g, step.size_in(group)));
      changed = true;
    }
    void block(std::size_t offset, std::span<const scalar> partials) const {
      step.groups_.for_parts(offset, partials, [this](const group_step& group, std::size_t first, auto part) {
        if (group.frozen) return;
        note(first, step.w_.load(first));
        step.optimizer_.block(first, part, step.size_in(group));
        changed = true;
      });
    }
  };

  scalar size_in(const group_step& group) const { return gathered_.on() ? scalar(1) : static_cast<scalar>(group.step); }

  void regularise_touched(const typename M::example_type& z) {
    const optimizer_kind kind = context_.options.optimizer;
    const bool divides = kind == optimizer_kind::sgd || (!sums_up(kind) && !gathered_.on());
    for (const parameter_group& g : ordered_groups_) {
      const group_step& group = groups_.of(g.offset);
      if (group.frozen) continue;
      row_.resize(g.width);
      for (auto [column, x] : z) {
        if (column < g.first_column || column - g.first_column >= g.rows) continue;
        const double fraction = context_.options.form == l2_form::per_occurrence
                                    ? context_.options.l2
                                    : l2_.fraction(context_.degree[column]);
        const std::size_t offset = g.offset + (column - g.first_column) * g.width;
        w_.load_block(offset, row_);
        if (std::ranges::all_of(row_, [](scalar w) { return w == scalar(0); })) continue;
        const auto by = static_cast<scalar>(divides ? 1.0 / (1.0 + group.step * fraction) - 1.0 : fraction);
        for (scalar& w : row_) w *= by;
        if (divides)
          w_.add_block(offset, row_);
        else
          optimizer_.block(offset, row_, size_in(group));
      }
    }
  }

  const M& model_;
  step_context context_;
  Optimizer optimizer_;
  touched_l2 l2_;
  std::vector<parameter_group> ordered_groups_;
  group_steps groups_;
  gathered_gradients<scalar> gathered_;
  typename Sharing::view_type w_;
  std::vector<scalar> row_;
};

}  // namespace hogwild
