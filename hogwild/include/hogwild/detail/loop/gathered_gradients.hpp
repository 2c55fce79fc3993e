// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/block_optimizer.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Whether a sharing policy gathers what rows would change, to be summed up over all workers: lockstep_sharing.
template <class Sharing>
inline constexpr bool gathers_sums = requires {
  requires Sharing::gathers;
};

/// What an optimiser other than sgd does in lockstep: rows gather gradients, and when all ranks have summed them up,
/// each makes one step by their mean. All ranks do the same, so that parameters and state stay the same on all. A group
/// that is ordered by popularity makes a step of each row that any rank has touched, other groups of the whole run.
/// Whatever the optimiser, what has moved then is projected where the model says so. Belongs to one worker, and must
/// stay where it is.
template <class Sharing>
class gathered_gradients {
 public:
  using projection = std::function<void(std::span<typename Sharing::scalar_type>)>;

  /// Does nothing unless the policy gathers. All outlive this. `project` may be empty.
  gathered_gradients(const Sharing& sharing, const loop_options& options, std::vector<parameter_group> groups,
                     group_steps& steps, projection project = {})
      : sharing_(sharing), options_(options), groups_(std::move(groups)), steps_(steps), project_(std::move(project)) {
    if constexpr (gathers_sums<Sharing>) {
      on_ = options.optimizer != optimizer_kind::sgd;
      if (on_)
        sharing.set_sum_receiver(this, [](void* self, double gain_weight, double position) {
          static_cast<gathered_gradients*>(self)->step(gain_weight, position);
        });
      else if (project_)
        sharing.set_change_receiver(this, [](void* self, std::span<const std::uint32_t> changed) {
          static_cast<gathered_gradients*>(self)->project_changed(changed);
        });
    }
  }
  gathered_gradients(const gathered_gradients&) = delete;
  gathered_gradients& operator=(const gathered_gradients&) = delete;

  /// Whether rows gather gradients, rather than steps.
  bool on() const { return on_; }

 private:
  void step(double gain_weight, double position) {
    using T = typename Sharing::scalar_type;
    using view = param_view<T>;
    const std::size_t arrays = state_arrays_of(options_.optimizer);
    const auto state = [&](std::size_t k) { return sharing_.own_state(std::min(k, arrays - 1)); };
    const block_optimizer<view> optimizer(options_.optimizer, options_.constants, sharing_.own_parameters(),
                                          std::array<view, 3>{state(0), state(1), state(2)});
    steps_.begin(sharing_.round(), position);
    const std::span<T> sums = sharing_.gains();
    for (const parameter_group& g : groups_) {
      const std::size_t run = run_of(g);
      for (std::size_t at = g.offset; at < g.offset + g.rows * g.width; at += run) {
        const std::span<T> sum = sums.subspan(at, run);
        if (std::ranges::all_of(sum, [](T x) { return x == T(0); })) continue;
        for (T& x : sum) x *= static_cast<T>(-gain_weight);  // sgd has gathered what it would add
        optimizer.block(at, sum, static_cast<T>(steps_.of(at).step * options_.exchange.scale));
        if (project_) project_(sharing_.values().subspan(at, run));
        std::ranges::fill(sum, T(0));
      }
    }
  }

  /// Parameters that make a step together.
  static std::size_t run_of(const parameter_group& g) { return g.hot_first ? g.width : g.rows * g.width; }

  void project_changed(std::span<const std::uint32_t> changed) const {
    const auto project = [&](std::size_t at, std::size_t run) {
      if (!steps_.of(at).frozen) project_(sharing_.values().subspan(at, run));
    };
    if (changed.empty()) {
      for (const parameter_group& g : groups_)
        for (std::size_t at = g.offset; at < g.offset + g.rows * g.width; at += run_of(g)) project(at, run_of(g));
      return;
    }
    std::size_t done = 0, end = 0;  // the run that was projected last: its parameters stand beside each other mostly
    for (const std::size_t j : changed) {
      if (j >= done && j < end) continue;
      const parameter_group& g = *std::ranges::find_if(
          groups_, [j](const parameter_group& each) { return j - each.offset < each.rows * each.width; });
      done = j - (j - g.offset) % run_of(g), end = done + run_of(g);
      project(done, run_of(g));
    }
  }

  const Sharing& sharing_;
  const loop_options& options_;
  std::vector<parameter_group> groups_;
  group_steps& steps_;
  projection project_;
  bool on_ = false;
};

}  // namespace hogwild
