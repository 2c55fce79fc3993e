// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/loop/loop_options.hpp>
#include <hogwild/detail/sharing/gathered.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Whether a sharing policy gathers what rows would change, to be summed up over all workers: gathered_sharing.
template <class Sharing>
inline constexpr bool gathers_sums = requires {
  requires Sharing::gathers;
};

/// The policy that gathers, where `sharing` is one; else null.
template <class Sharing>
auto gathered_sharing_of(const Sharing& sharing) -> const gathered_sharing<typename Sharing::scalar_type>* {
  if constexpr (gathers_sums<Sharing>)
    return &sharing;
  else
    return nullptr;
}

/// A model's project(), or nothing; refers to the model.
template <parameter T, class M>
std::function<void(std::span<T>, T)> projection_of(const M& m) {
  if constexpr (projects_runs<M, T>) return [&m](std::span<T> run, T step) { m.project(run, step); };
  return {};
}

/// Projects parameters that workers share: what that changes is added.
template <parameter T>
class projected_run {
 public:
  template <class M, class View>
  void change(const M& m, View& w, std::size_t offset, std::size_t n, T step) {
    before_.resize(n);
    w.load_block(offset, before_);
    after_ = before_;
    m.project(std::span<T>(after_), step);
    if (after_ == before_) return;
    for (std::size_t i = 0; i < n; ++i) after_[i] -= before_[i];
    w.add_block(offset, after_);
  }

 private:
  std::vector<T> before_, after_;
};

/// What an optimiser other than sgd does in lockstep: rows gather gradients, and when all ranks have summed them up,
/// each makes one step by their mean. All ranks do the same, so that parameters and state stay the same on all. A group
/// that is ordered by popularity makes a step of each row that any rank has touched, other groups of the whole run.
/// Whatever the optimiser, what has moved then is projected where the model says so. Belongs to one worker, and must
/// stay where it is.
template <parameter T>
class gathered_gradients {
 public:
  using projection = std::function<void(std::span<T>, T step)>;

  /// `sharing`: null where the policy does not gather, and then this does nothing. All outlive this. `project` may be
  /// empty.
  gathered_gradients(const gathered_sharing<T>* sharing, const loop_options& options,
                     std::vector<parameter_group> groups, group_steps& steps, projection project = {});
  gathered_gradients(const gathered_gradients&) = delete;
  gathered_gradients& operator=(const gathered_gradients&) = delete;

  /// Whether rows gather gradients, rather than steps.
  bool on() const { return on_; }

 private:
  void step(double gain_weight, double position);
  void project_changed(std::span<const std::uint32_t> changed) const;
  /// Parameters that make a step together.
  static std::size_t run_of(const parameter_group& g) { return g.hot_first ? g.width : g.rows * g.width; }

  const gathered_sharing<T>* sharing_;
  const loop_options& options_;
  std::vector<parameter_group> groups_;
  group_steps& steps_;
  projection project_;
  bool on_ = false;
};

extern template class gathered_gradients<float>;
extern template class gathered_gradients<double>;

}  // namespace hogwild
