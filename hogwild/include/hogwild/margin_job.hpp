// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/curvature.hpp>
#include <hogwild/job.hpp>
#include <hogwild/margin_loss.hpp>

namespace hogwild {

/// The part of a margin model's job that knows no model: compiled once, in the library.
class margin_job_base : public job {
 public:
  margin_job_base(const sparse_view& data, label_map labels, const loop_options& options);

  std::size_t parameters() const override { return data_.columns + (options_.bias ? 1 : 0); }
  std::size_t scalar_bytes() const override { return sizeof(float); }
  bool margin() const override { return true; }
  double steepness() const override { return hogwild::steepness(loss()); }
  bool scaled() const override { return options_.optimizer == optimizer_kind::sgd; }

  void initialise(const param_store&) const override {}
  void work(const param_store& store, std::size_t slot, worker_memory& memory, neighbours* others) const override;
  std::vector<parameter_group> groups() const override;
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew, bool all_measures,
                       const std::stop_token& stop) const override;
  double squared_norm(const param_store& store, double scale, team& crew) const override;
  void fold(const param_store& store, double scale, team& crew) const override;
  std::vector<float> parameters_of(const param_store& store, double scale) const override;

 private:
  virtual margin_loss loss() const = 0;
  template <class Sharing>
  void row_by_row(const param_store& store, std::size_t slot, const Sharing& sharing) const;
  template <class Sharing>
  void by_batches(const param_store& store, std::size_t slot, const Sharing& sharing) const;
};

/// A margin model on its data.
template <margin_model M>
class margin_job final : public margin_job_base {
 public:
  margin_job(const M& m, const sparse_view& data, label_map labels, const loop_options& options)
      : margin_job_base(data, std::move(labels), options), model_(m) {}

  std::string_view model_name() const override { return hogwild::model_name<M>(); }
  std::vector<double> settings() const override { return job::settings_of(model_); }
  std::span<const std::byte> model_bytes() const override {
    if constexpr (segment_storable<M>) return std::as_bytes(std::span(&model_, 1));
    return {};
  }
  std::unique_ptr<job> on(const sparse_view& rows) const override {
    return std::make_unique<margin_job>(model_, rows, labels_, options_);
  }

 private:
  margin_loss loss() const override { return margin_loss(model_); }
  M model_;
};

}  // namespace hogwild
