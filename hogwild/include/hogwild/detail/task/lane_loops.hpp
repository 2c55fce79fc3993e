// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/model/kernel_models.hpp>

namespace hogwild {

struct step_context;
class training_task;
struct worker_context;

/// Gives the label and the loss of each row and lane, and the prediction if `predicts`, for at most batch_rows rows
/// that have passed ensure(). Belongs to a thread.
using lane_scorer =
    std::function<void(std::span<const std::size_t> rows, bool predicts, float* score, float* label, double* loss)>;

/// How several models of one task are trained and measured side by side. `lanes` is their common task (lane_task).
class lane_loops {
 public:
  virtual bool takes(optimizer_kind by) const = 0;
  /// lanes_pay() for these models.
  virtual bool pays(std::size_t columns, optimizer_kind by) const = 0;
  /// worker_side::work() for all lanes.
  virtual void train_lanes(const worker_context& at, const step_context& context, const training_task& lanes,
                           const lane_table& table) const = 0;
  /// For stored parameters v of all lanes, with w = scale[k] * v.
  virtual lane_scorer scorer(const training_task& lanes, const lane_table& table, const sparse_view& rows,
                             const float* v, std::span<const double> scale) const = 0;

 protected:
  ~lane_loops() = default;
};

/// Whether eight models of several classes take less time side by side than one after the other. They do if there are
/// fewer classes than numbers in a vector, because a model alone then goes class by class, or if the weights of one
/// model are at most four times as large as the second-level cache; beyond that a model alone gains more by the cache
/// than lanes save.
bool lanes_of_classes_pay(std::size_t columns, std::size_t classes);
/// The same for models with `width` floats of factors a column: they do if the parameters and sums of one fit into that
/// cache. A model alone uses vectors of factors already, so lanes save only the cost of rows and single weights.
bool lanes_of_factors_pay(std::size_t columns, std::size_t width, optimizer_kind by);

/// The same for any model; margin models always gain.
template <class M>
bool lanes_pay(const M& m, std::size_t columns, optimizer_kind by) {
  if constexpr (linear_class_model<M>)
    return lanes_of_classes_pay(columns, m.classes);
  else if constexpr (row_kernel_model<M>)
    return lanes_of_factors_pay(columns, m.kernel_room(), by);
  else
    return margin_model<M>;
}

}  // namespace hogwild
