// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hogwild::cli {

struct train_request;

/// Sets what an option stands for from its text; returns an error message, or an empty text.
using text_setter = std::string (*)(train_request&, const std::string&);

/// The setter of an option whose text says more than the type of one variable does; null: there is none.
text_setter setter_for(std::string_view word);

}  // namespace hogwild::cli
