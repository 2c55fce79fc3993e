// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild {

/// Deals rows to folds for cross-validation: the fold of each row, below `folds`. The seed decides which row goes
/// where. The sizes of folds differ by one row at most, and so do the numbers of rows of each of two labels or classes
/// in them (stratified). Rows with numbers, or lists of labels, are dealt as one set. Rows with groups
/// (sparse_view::group) are dealt by whole groups: the largest first, each to the fold that has the fewest rows.
///
/// Throws config_error for fewer than two folds, or more folds than rows or groups; input_error if a fold would be
/// without one of two labels or classes.
std::vector<std::uint32_t> draw_folds(const sparse_view& rows, const label_map& known, std::size_t folds,
                                      std::uint64_t seed);

/// Rows by folds: for each fold that is left out, the training rows and the rows to measure. Holds a copy of the rows
/// in which all but the last fold are stored twice, so that both sets are contiguous: less than twice the memory for
/// any number of folds. Read-only once it is made; views are valid as long as it exists and is not moved.
class row_folds {
 public:
  /// `fold_of`: as draw_folds() returns it.
  row_folds(const sparse_view& rows, std::span<const std::uint32_t> fold_of, std::size_t folds);

  std::size_t folds() const { return degree_.size(); }
  /// The rows of all folds but `k`.
  sparse_view training(std::size_t k) const;
  sparse_view validation(std::size_t k) const;

 private:
  std::vector<std::size_t> begin_;  ///< where each fold begins for the first time; last, the number of rows
  sparse_dataset rows_;
  std::vector<std::vector<std::uint32_t>> degree_;  ///< of the columns, in the training rows of each fold
};

}  // namespace hogwild
