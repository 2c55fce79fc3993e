// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <hogwild/detail/run/prepare.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

inline constexpr std::string_view stream_name = "the stream";  ///< in messages, where a file has its path

/// The options as a stream uses them. Throws config_error for those that need all rows, or an end.
train_options checked_for_stream(train_options o, const model_traits& traits);

/// The labels that were declared. Throws config_error if there have to be some and are none.
label_map labels_of_stream(const model_traits& traits, const train_options& o);

}  // namespace hogwild
