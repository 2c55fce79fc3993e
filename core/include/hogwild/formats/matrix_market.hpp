// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/dataset.hpp>

namespace hogwild {

// Matrix Market text: a line "%%MatrixMarket matrix coordinate real general", comments that begin with '%', a line with
// the numbers of rows, columns and entries, and an entry a line, "row column value", counted from 1, in any order.
// "integer" stands for real values that are whole, and an entry of "pattern" has no value, which means 1. "array" in
// place of "coordinate" is a dense matrix: numbers of rows and columns, then all values, one a line, column by column;
// zeros are left out. Complex, symmetric and Hermitian matrices are refused.
//
// As rows of data, a row of the matrix is an example, and its columns have their numbers. Labels are in a second file.

/// Opens a Matrix Market file, plain or compressed, as open_libsvm opens its text. Labels, a number or word a line, are
/// in `labels_path` or, if that is empty, in the file beside it that is called NAME.labels for NAME.mtx, compressed or
/// not. With labels_optional no labels are read, and all are 0. All of it is held in memory, whatever
/// open_options::memory is. Throws what open_libsvm throws; format_error also for an entry outside the matrix, one that
/// stands there twice, and other numbers of entries or labels than those announced; input_error if there are no labels.
sparse_dataset open_matrix_market(const std::string& path, const std::string& labels_path = {},
                                  const open_options& options = {});

}  // namespace hogwild
