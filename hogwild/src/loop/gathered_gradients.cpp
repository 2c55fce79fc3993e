// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/loop/gathered_gradients.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/block_optimizer.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>

namespace hogwild {

template <parameter T>
gathered_gradients<T>::gathered_gradients(const gathered_sharing<T>* sharing, const loop_options& options,
                                          std::vector<parameter_group> groups, group_steps& steps, projection project)
    : sharing_(sharing), options_(options), groups_(std::move(groups)), steps_(steps), project_(std::move(project)) {
  if (sharing == nullptr) return;
  on_ = options_.optimizer != optimizer_kind::sgd;
  if (on_)
    sharing->set_sum_receiver(this, [](void* self, double gain_weight, double part, double position) {
      static_cast<gathered_gradients*>(self)->step(gain_weight, part, position);
    });
  else if (project_)
    sharing->set_change_receiver(this, [](void* self, std::span<const std::uint32_t> changed) {
      static_cast<gathered_gradients*>(self)->project_changed(changed);
    });
}

template <parameter T>
void gathered_gradients<T>::step(double gain_weight, double part, double position) {
  using view = param_view<T>;
  const std::size_t arrays = state_arrays_of(options_.optimizer);
  const auto state = [&](std::size_t k) { return sharing_->own_state(std::min(k, arrays - 1)); };
  const block_optimizer<view> optimizer(options_.optimizer, options_.constants, sharing_->own_parameters(),
                                        std::array<view, 3>{state(0), state(1), state(2)});
  // A round begins where the earlier parts of its epoch end, on all ranks alike.
  const round_plan& round = sharing_->round();
  steps_.begin(round, position + steps_.rows() * round.part / round.parts);
  const std::span<T> sums = sharing_->gains();
  for (const parameter_group& g : groups_) {
    const std::size_t run = run_of(g);
    for (std::size_t at = g.offset; at < g.offset + g.rows * g.width; at += run) {
      const std::span<T> sum = sums.subspan(at, run);
      if (std::ranges::all_of(sum, [](T x) { return x == T(0); })) continue;
      // sgd has gathered the changes to add.
      const group_step& group = steps_.of(at);
      for (T& x : sum) x *= static_cast<T>(-gain_weight) * static_cast<T>(group.unit);
      optimizer.block(at, group.state_of(at), sum, static_cast<T>(group.step * options_.exchange.scale * part));
      if (project_ && g.projected) project_(sharing_->values().subspan(at, run), static_cast<T>(group.step));
      std::ranges::fill(sum, T(0));
    }
  }
}

template <parameter T>
void gathered_gradients<T>::project_changed(std::span<const std::uint32_t> changed) const {
  const auto project = [&](std::size_t at, std::size_t run) {
    const group_step& group = steps_.of(at);
    if (!group.frozen && group.projected) project_(sharing_->values().subspan(at, run), static_cast<T>(group.step));
  };
  if (changed.empty()) {
    for (const parameter_group& g : groups_)
      for (std::size_t at = g.offset; at < g.offset + g.rows * g.width; at += run_of(g)) project(at, run_of(g));
    return;
  }
  std::size_t done = 0, end = 0;  // the run that was projected last: its parameters are mostly neighbours
  for (const std::size_t j : changed) {
    if (j >= done && j < end) continue;
    const parameter_group& g = *std::ranges::find_if(
        groups_, [j](const parameter_group& each) { return j - each.offset < each.rows * each.width; });
    done = j - (j - g.offset) % run_of(g), end = done + run_of(g);
    project(done, run_of(g));
  }
}

template class gathered_gradients<float>;
template class gathered_gradients<double>;

}  // namespace hogwild
