// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/task/training_task.hpp>

namespace hogwild {

/// A task that wraps a whole task and changes only its work(): it trains other parameters, or with an exchange hook.
class decorated_task : public training_task {
 public:
  /// `whole` must outlive this.
  explicit decorated_task(const training_task& whole)
      : training_task(whole.facts(), whole.data(), whole.labels(), whole.options()), whole_(whole) {}
  /// The same, owning the whole task.
  explicit decorated_task(std::unique_ptr<training_task> whole) : decorated_task(*whole) { kept_ = std::move(whole); }

  const margin_loss* margin() const override { return whole_.margin(); }
  const linear_classes* classes() const override { return whole_.classes(); }
  const lane_loops* lanes() const override { return whole_.lanes(); }
  void initialise(const param_store& store) const override { whole_.initialise(store); }
  void fill(std::span<float> parameters) const override { whole_.fill(parameters); }
  void try_rows(const param_store& store) const override { whole_.try_rows(store); }
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                       bool all_measures, const std::stop_token& stop, std::size_t lists) const override {
    return whole_.evaluate(store, scale, rows, threads, all_measures, stop, lists);
  }
  double smoothness() const override { return whole_.smoothness(); }
  double squared_norm(const param_store& store, double scale, thread_team& threads) const override {
    return whole_.squared_norm(store, scale, threads);
  }
  double absolute_sum(const param_store& store, thread_team& threads) const override {
    return whole_.absolute_sum(store, threads);
  }
  std::optional<loss_bound> bound(std::span<const float> parameters, thread_team& threads, const agreement& ranks,
                                  const std::stop_token& stop) const override {
    return whole_.bound(parameters, threads, ranks, stop);
  }
  void settle(const param_store& store, std::size_t epoch, double step, thread_team& threads) const override {
    whole_.settle(store, epoch, step, threads);
  }
  void fold(const param_store& store, double scale, thread_team& threads) const override {
    whole_.fold(store, scale, threads);
  }
  std::vector<float> parameters_of(const param_store& store, double scale) const override {
    return whole_.parameters_of(store, scale);
  }
  memory_source store_memory() const override { return whole_.store_memory(); }
  std::unique_ptr<training_task> on(const sparse_view& rows) const override { return whole_.on(rows); }

 protected:
  const training_task& whole() const { return whole_; }

 private:
  const training_task& whole_;
  std::unique_ptr<training_task> kept_;
};

}  // namespace hogwild
