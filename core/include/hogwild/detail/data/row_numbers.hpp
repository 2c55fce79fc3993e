// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/data/number_arrays.hpp>

namespace hogwild::detail {

/// Throws input_error unless there is one weight for each of `rows` rows, all are finite, and none is negative. The
/// message calls the data `source`.
void require_sound_weights(std::span<const float> weights, std::size_t rows, std::string_view source);

/// The same; also throws if there are rows and no weight is above 0.
void require_weights(std::span<const float> weights, std::size_t rows, std::string_view source);

/// Like require_sound_weights(), for offsets, which may be any finite numbers.
void require_offsets(std::span<const float> offsets, std::size_t rows, std::string_view source);

/// Throws input_error for a whole number that double precision does not distinguish from its neighbours, so that
/// several classes would become one. `array` names the labels.
void require_exact_labels(const any_numbers& labels, const std::string& array);

}  // namespace hogwild::detail
