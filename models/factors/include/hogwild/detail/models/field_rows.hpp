// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// Throws config_error if a column has no field (formats/libffm.hpp), or if there are more fields than the model's
/// `fields`. The message calls the rows `source`.
void require_fields(const sparse_view& rows, std::string_view source, std::string_view model, std::size_t fields);

}  // namespace hogwild
