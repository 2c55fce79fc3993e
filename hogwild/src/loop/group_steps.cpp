// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/group_steps.hpp>

#include <algorithm>

#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/worker/row_state.hpp>

namespace hogwild {

group_steps::group_steps(const std::vector<parameter_group>& groups, const step_context& context, bool projects)
    : rows_(static_cast<double>(context.epoch_rows)) {
  const std::vector<parameter_group> kept = context.options.row_state != 0 ? row_state_groups(groups) : groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const parameter_group& g = groups[i];
    if (g.rows * g.width == 0) continue;
    const bool bias = g.name == "bias" && !g.l2;
    all_.push_back({.begin = g.offset,
                    .end = g.offset + g.rows * g.width,
                    .run = g.hot_first ? g.width : g.rows * g.width,
                    .state = kept[i].offset,
                    .apart = g.width / kept[i].width,
                    .factor = g.step_factor * (bias ? static_cast<double>(bias_step_factor(context.options)) : 1.0),
                    .unit = bias ? 1.0f : adagrad_unit(context.options),
                    .l2 = g.l2 && context.options.l2 > 0.0,
                    .projected = projects && g.projected,
                    .frozen = context.options.freezes(i)});
  }
  std::ranges::sort(all_, {}, &group_step::begin);
}

}  // namespace hogwild
