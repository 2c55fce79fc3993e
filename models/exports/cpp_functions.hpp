// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/exports/exported_model.hpp>

namespace hogwild::detail {

/// The headers that cpp_functions() need.
extern const std::string_view cpp_includes;
/// The text of C++ functions that score rows by the constants of a header.
std::string cpp_functions(const exported_model& model);

}  // namespace hogwild::detail
