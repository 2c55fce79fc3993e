// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "data/row_block.hpp"

namespace hogwild {

struct csr_arrays;

namespace detail {

/// The rows of a piece as blocks whose entries are the caller's own arrays (row_block::borrowed), checked by the
/// threads of the current arena. `row_start` ascends within the arrays, and there is one label a row or none. Returns
/// nothing if arrays have other types than the blocks', or a row is not as required: columns that ascend, below
/// `most_columns`, finite numbers, weights of at least 0, one label. A caller that then takes rows one by one finds the
/// row at fault, or corrects it.
std::optional<std::vector<row_block>> borrow_blocks(const csr_arrays& from, std::size_t most_columns);

}  // namespace detail
}  // namespace hogwild
