// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// Throws config_error if rows do not tell the field of each column (formats/libffm.hpp), or have more fields than the
/// model's `fields`. The message calls the rows `source`.
void require_fields(const sparse_view& rows, std::string_view source, std::string_view model, std::size_t fields);

}  // namespace hogwild
