// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "formats/libsvm_parser.hpp"

namespace hogwild {

struct csr_arrays;

namespace detail {

/// The rows of a piece as blocks whose entries are the caller's own arrays (libsvm_block::borrowed). Checked by the
/// threads of the arena that this is called in. `row_start` ascends within the arrays, and labels are one a row or
/// none.
/// Nothing where arrays are of other types than the blocks', or a row does not hold what is asked of it: columns that
/// ascend, below `most_columns`, numbers that are finite, weights of 0 at least, one label. Who takes such rows one by
/// one says which it is, or puts it right.
std::optional<std::vector<libsvm_block>> borrow_blocks(const csr_arrays& from, std::size_t most_columns);

}  // namespace detail
}  // namespace hogwild
