// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hogwild/saved_model.hpp>

#include "text/byte_cursor.hpp"

// Parts of the binary file of a quantised model, version 6:
//   before biases and before weights u32: numbers of a part, or 0 and then the numbers themselves as in other versions;
//   else u32 centroids of a part, u32 lengths, then centroids f32, codes u8 and, if there are lengths, these f32 and
//   their codes u8
//   names of the columns (length u32, characters), each with a line end; an empty one is that which the schema tells by
//   the column's number; or nothing more

namespace hogwild::detail {

void put_quantised(byte_builder& out, const quantised_rows& rows);
/// Whether the next `numbers` numbers, in rows of `width`, are quantised. Then they are read. Throws input_error.
bool take_quantised(byte_cursor& in, std::uint64_t numbers, std::size_t width, quantised_rows& rows);

void put_line_names(byte_builder& out, const saved_model& model);
/// The names of columns that are read. Throws input_error.
std::vector<std::string> take_line_names(byte_cursor& in, const saved_model& model, const std::string& name);

}  // namespace hogwild::detail
