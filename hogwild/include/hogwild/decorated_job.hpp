// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/job.hpp>

namespace hogwild {

/// A job whose workers work otherwise: on other parameters, or with somebody to tell of it. Everything but work() is
/// the whole job's own.
class decorated_job : public job {
 public:
  /// `whole` must outlive this, and know already where its workers read and write.
  explicit decorated_job(const job& whole) : job(whole.data(), whole.labels(), whole.options()), whole_(whole) {
    plan_ = whole.plan();
  }
  /// The same, keeping the whole.
  explicit decorated_job(std::unique_ptr<job> whole) : decorated_job(*whole) { kept_ = std::move(whole); }

  std::string_view model_name() const override { return whole_.model_name(); }
  std::size_t parameters() const override { return whole_.parameters(); }
  std::size_t scalar_bytes() const override { return whole_.scalar_bytes(); }
  std::span<const std::byte> model_bytes() const override { return whole_.model_bytes(); }
  std::vector<double> settings() const override { return whole_.settings(); }
  bool margin() const override { return whole_.margin(); }
  double steepness() const override { return whole_.steepness(); }
  bool may_rise() const override { return whole_.may_rise(); }
  bool scaled() const override { return whole_.scaled(); }
  std::vector<parameter_group> groups() const override { return whole_.groups(); }

  void initialise(const param_store& store) const override { whole_.initialise(store); }
  void try_rows(const param_store& store) const override { whole_.try_rows(store); }
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew, bool all_measures,
                       const std::stop_token& stop) const override {
    return whole_.evaluate(store, scale, rows, crew, all_measures, stop);
  }
  double squared_norm(const param_store& store, double scale, team& crew) const override {
    return whole_.squared_norm(store, scale, crew);
  }
  void fold(const param_store& store, double scale, team& crew) const override { whole_.fold(store, scale, crew); }
  std::vector<float> parameters_of(const param_store& store, double scale) const override {
    return whole_.parameters_of(store, scale);
  }
  std::unique_ptr<job> on(const sparse_view& rows) const override { return whole_.on(rows); }

 protected:
  const job& whole() const { return whole_; }

 private:
  const job& whole_;
  std::unique_ptr<job> kept_;
};

}  // namespace hogwild
