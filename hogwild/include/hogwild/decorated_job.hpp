// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <hogwild/job.hpp>

namespace hogwild {

/// A job whose workers work otherwise: on other parameters, or with somebody to tell of it. Everything but work() is
/// the whole job's own.
class decorated_job : public job {
 public:
  /// `whole` must outlive this.
  explicit decorated_job(const job& whole)
      : job(whole.facts(), whole.data(), whole.labels(), whole.options()), whole_(whole) {}
  /// The same, keeping the whole.
  explicit decorated_job(std::unique_ptr<job> whole) : decorated_job(*whole) { kept_ = std::move(whole); }

  void initialise(const param_store& store) const override { whole_.initialise(store); }
  void try_rows(const param_store& store) const override { whole_.try_rows(store); }
  measurement evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew, bool all_measures,
                       const std::stop_token& stop) const override {
    return whole_.evaluate(store, scale, rows, crew, all_measures, stop);
  }
  double smoothness() const override { return whole_.smoothness(); }
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
