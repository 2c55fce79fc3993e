// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild {

/// Deals rows to folds for cross-validation: of each row its fold, below `folds`. Which row goes where is drawn by the
/// seed. Folds have as many rows as each other, or one more; so it is with the rows of each of two labels or classes
/// (stratified). Numbers, and lists of labels, are dealt as a whole.
///
/// Throws config_error for fewer than two folds, and for more folds than rows; input_error where a label has fewer rows
/// than there are folds, so that one would be without it.
std::vector<std::uint32_t> draw_folds(const label_column& labels, const label_map& known, std::size_t folds,
                                      std::uint64_t seed);

/// Rows by folds: what is trained on when a fold is left out, and what is measured then. Holds a copy of the rows in
/// which all but the last fold stand twice, so that either is one run of rows: less than twice the memory for any
/// number of folds. Read-only once it is made; views hold as long as it stands where it is.
class row_folds {
 public:
  /// `fold_of` as draw_folds() gives it.
  row_folds(const sparse_view& rows, std::span<const std::uint32_t> fold_of, std::size_t folds);

  std::size_t folds() const { return degree_.size(); }
  /// The rows of all folds but `k`.
  sparse_view training(std::size_t k) const;
  sparse_view validation(std::size_t k) const;

 private:
  std::vector<std::size_t> begin_;  ///< of each fold, the first time; last, the number of rows
  sparse_dataset rows_;
  std::vector<std::vector<std::uint32_t>> degree_;  ///< of the columns, in what is trained on
};

}  // namespace hogwild
