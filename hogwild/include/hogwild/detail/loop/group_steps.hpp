// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hogwild/detail/control/round_plan.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// How the parameters from `begin` to `end` are changed at present.
struct group_step {
  std::size_t begin = 0, end = 0;
  std::size_t run = 0;    ///< parameters that make a step together: a row if rows are ordered by popularity, else all
  std::size_t state = 0;  ///< where the group begins in arrays of optimiser state,
  std::size_t apart = 1;  ///< and how many parameters have one number there
  double factor = 1.0, step = 0.0;
  float unit = 1.0f;      ///< adagrad_unit(), by which its partials are multiplied
  bool l2 = false;        ///< the run's l2 applies, and is not 0
  bool projected = true;  ///< the model has project(), and it applies
  bool frozen = false;    ///< nothing changes them

  /// Where the state of the parameter at `offset` is.
  std::size_t state_of(std::size_t offset) const {
    const std::size_t place = offset - begin;
    return state + (apart == 1 ? place : place / apart);
  }
};

/// The groups of a model, found by their offsets. Belongs to one worker.
class group_steps {
 public:
  /// `projects`: whether the model has a projection.
  group_steps(const std::vector<parameter_group>& groups, const step_context& context, bool projects);

  double rows() const { return rows_; }  ///< of an epoch

  /// `position`: rows of the epoch that have been drawn already.
  void begin(const round_plan& round, double position) {
    const double step = round.step_at(position / std::max(rows_, 1.0));
    for (group_step& g : all_) g.step = step * g.factor;
  }

  /// Calls f(group, offset, part) for the parts of a run that lie in one group each.
  template <class T, class F>
  void for_parts(std::size_t offset, std::span<const T> run, const F& f) {
    while (!run.empty()) {
      const group_step& group = of(offset);
      const std::size_t n = std::min(run.size(), group.end - offset);
      f(group, offset, run.first(n));
      offset += n;
      run = run.subspan(n);
    }
  }

  /// The group of the parameter at `offset`.
  const group_step& of(std::size_t offset) {
    if (offset < all_[last_].begin || offset >= all_[last_].end) {
      const auto after = std::ranges::upper_bound(all_, offset, {}, &group_step::begin);
      last_ = static_cast<std::size_t>(after - all_.begin()) - 1;
    }
    return all_[last_];
  }

 private:
  double rows_;
  std::vector<group_step> all_;
  std::size_t last_ = 0;
};

}  // namespace hogwild
