// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hogwild/detail/loop/group_steps.hpp>
#include <hogwild/detail/sharing/gathered.hpp>
#include <hogwild/detail/worker/loop_options.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// `sharing` as the policy that gathers, if it is one; else null.
template <class Sharing>
auto gathered_sharing_of(const Sharing& sharing) -> const gathered_sharing<typename Sharing::scalar_type>* {
  if constexpr (Sharing::traits.gathers)
    return &sharing;
  else
    return nullptr;
}

/// A model's project() as a function that refers to the model; empty if it has none.
template <parameter T, class M>
std::function<void(std::span<T>, T)> projection_of(const M& m) {
  if constexpr (projects_runs<M, T>) return [&m](std::span<T> run, T step) { m.project(run, step); };
  return {};
}

/// Projects parameters that workers share: adds the difference that project(run, step) makes.
template <parameter T>
class projected_run {
 public:
  template <class F, class View>
  void change(const F& project, View& w, std::size_t offset, std::size_t n, T step) {
    before_.resize(n);
    w.load_block(offset, before_);
    after_ = before_;
    project(std::span<T>(after_), step);
    if (after_ == before_) return;
    for (std::size_t i = 0; i < n; ++i) after_[i] -= before_[i];
    w.add_block(offset, after_);
  }

 private:
  std::vector<T> before_, after_;
};

/// The lockstep form of optimisers other than sgd: rows gather gradients, and when all ranks have summed them, each
/// makes one step by their mean. All ranks do the same, so that parameters and state stay equal on all. In a group that
/// is ordered by popularity, each row that any rank has touched makes a step; other groups make a step as a whole.
/// Under every optimiser, parameters that have moved are then projected if the model has a projection. Belongs to one
/// worker, and must not be moved.
template <parameter T>
class gathered_gradients {
 public:
  using projection = std::function<void(std::span<T>, T step)>;

  /// `sharing` is null if the policy does not gather; then this does nothing. All arguments outlive this. `project` may
  /// be empty.
  gathered_gradients(const gathered_sharing<T>* sharing, const loop_options& options,
                     std::vector<parameter_group> groups, group_steps& steps, projection project = {});
  gathered_gradients(const gathered_gradients&) = delete;
  gathered_gradients& operator=(const gathered_gradients&) = delete;

  /// Whether rows gather gradients, rather than steps.
  bool on() const { return on_; }

 private:
  void step(double gain_weight, double part, double position);
  void project_changed(std::span<const std::uint32_t> changed) const;
  /// How many parameters make a step together.
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
