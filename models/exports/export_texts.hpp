// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/exports/exported_model.hpp>

namespace hogwild::detail {

// The text of a model in each form, see export_form::text.

std::string liblinear_text(const exported_model& model, std::string_view stem);
std::string vowpal_wabbit_text(const exported_model& model, std::string_view stem);
std::string json_model_text(const exported_model& model, std::string_view stem);
std::string csv_text(const exported_model& model, std::string_view stem);
std::string cpp_header_text(const exported_model& model, std::string_view stem);

}  // namespace hogwild::detail
