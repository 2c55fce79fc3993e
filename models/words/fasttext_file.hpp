// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <hogwild/detail/words/subword_vectors.hpp>

namespace hogwild::detail {

/// Whether bytes begin as a model of fastText's program does, NAME.bin.
bool begins_as_fasttext(std::string_view bytes);

/// Reads the words of such a model, and those buckets that parts of its words have, since others were never trained:
/// version 12, with matrices of floats. A word's vector is the mean of its own and those of its parts, as fastText has
/// it. Throws input_error for bytes that are no such
/// model, and for a quantised one; `name` is used in messages.
known_words parse_fasttext(std::string_view bytes, const std::string& name);

}  // namespace hogwild::detail
