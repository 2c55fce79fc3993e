// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/detail/task/tried_access.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// A task of a free model, whose parameters are stored as they are: what depends on the groups of its parameters alone,
/// and is compiled once for all models.
template <parameter T>
class grouped_task : public training_task {
 public:
  /// `by_batches`: l2 applies to all parameters with each batch, whatever columns its rows have.
  grouped_task(task_facts facts, const sparse_view& data, label_map labels, const loop_options& options,
               bool by_batches)
      : training_task(std::move(facts), data, std::move(labels), options), by_batches_(by_batches) {}

  double squared_norm(const param_store& store, double scale, thread_team& threads) const override;
  /// For each group to which l1 applies, the sum of the norms of its rows.
  double absolute_sum(const param_store& store, thread_team& threads) const override;
  void settle(const param_store& store, std::size_t epoch, double step, thread_team& threads) const override;
  void fold(const param_store&, double, thread_team&) const override {}
  std::vector<float> parameters_of(const param_store& store, double scale) const override;

 protected:
  /// The groups with l2 that are not frozen.
  std::vector<tried_bounds::group> groups_to_try() const;

 private:
  bool counts_occurrences() const;
  double sum_over_rows(const param_store& store, const parameter_group& g,
                       const std::function<double(double)>& of_squares) const;
  void shrink_rows(const param_view<T>& w, const parameter_group& g, std::size_t first, std::size_t last,
                   double once) const;

  bool by_batches_;
};

extern template class grouped_task<float>;
extern template class grouped_task<double>;

}  // namespace hogwild
