// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/data/sparse_view.hpp>

namespace hogwild {

/// Throws config_error, with `source` as where the rows come from, where rows do not say of which field each column is
/// (formats/libffm.hpp), or have more than the model's `fields`.
void require_fields(const sparse_view& rows, std::string_view source, std::string_view model, std::size_t fields);

}  // namespace hogwild
