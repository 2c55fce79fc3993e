// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/members/several_run.hpp>

namespace hogwild::detail {

/// How lanes see the rows of model k.
lane_rows lane_rows_of(const several_plan& plan, const train_options& options, std::size_t k);

/// The parameters that model k begins with; empty: zeros.
std::vector<float> beginning_of(const several_plan& plan, std::size_t k);

/// The rows of one of several models for a separate run, with the options of that run. Refers to `all`.
class member_rows {
 public:
  member_rows(const prepared_data& all, const several_plan& plan, std::size_t k);
  member_rows(const member_rows&) = delete;  // the rows refer to labels and weights of its own
  member_rows& operator=(const member_rows&) = delete;

  const sparse_view& rows() const { return rows_; }
  const train_options& options() const { return options_; }

 private:
  static void set_class(sparse_view& rows, const label_map& labels, std::size_t k, std::vector<std::uint8_t>& own);

  sparse_view rows_;
  train_options options_;
  std::vector<std::uint8_t> label_{}, validation_label_{};  ///< codes
  std::vector<float> weight_{};
};

/// The mean weighted count of a row in the lane's bootstrap.
double mean_count(const sparse_view& rows, const lane_rows& lane);

}  // namespace hogwild::detail
