// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/collectives/agreement.hpp>
#include <hogwild/options.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/result.hpp>

namespace hogwild::cli {

/// The divisor of each column's values: sizes over all ranks' rows, rounded down to powers of two, so that neither
/// dividing nor multiplying changes a digit; 1 for columns of zeros. Empty: nothing is divided. All ranks call it, and
/// get the same.
std::vector<float> column_scales(const sparse_view& rows, column_scaling kind, const agreement& ranks);

/// max_abs if a linear model has wild columns and one step for all of them, else none.
column_scaling advised_scaling(const named_model& m, const sparse_view& rows, const train_options& options);

/// A run on divided columns that hides the division from its user: initial and final parameters are the weights of the
/// original columns. l1 and l2 apply to the weights of the divided columns.
class divided_run {
 public:
  /// Copies the rows that are trained and measured on. Throws config_error for a model that is not linear, and for rows
  /// that do not fit into memory. All ranks make one together.
  divided_run(const named_model& m, const sparse_view& rows, column_scaling kind, const train_options& options,
              const agreement& ranks);

  const sparse_view& rows() const { return rows_; }
  const train_options& options() const { return options_; }
  /// Converts the parameters of the result to those of the original columns.
  void finish(train_result& result) const;

 private:
  sparse_view divided(const sparse_view& rows);

  std::vector<parameter_group> groups_;
  column_scaling scaling_ = column_scaling::none;  ///< the rule that was applied
  std::vector<float> scale_;
  std::vector<sparse_dataset> copies_;
  sparse_view rows_;
  train_options options_;
};

}  // namespace hogwild::cli
