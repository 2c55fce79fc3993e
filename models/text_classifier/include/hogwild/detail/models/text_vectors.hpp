// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/formats/tables.hpp>
#include <hogwild/models/text_classifier.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

namespace hogwild {

/// The word whose column has this input number; empty if it is that of no word alone.
std::string_view word_of_column(const table_schema& schema, std::uint32_t number);

/// Overwrites the rows of words that have vectors. `original`: the input number of each column. Returns how many words
/// these are. Throws config_error for vectors of another dimension, and for rows whose words have no columns by name.
std::size_t begin_with_vectors(const word_vectors& vectors, const text_classifier& m, const table_schema& schema,
                               std::span<const std::uint32_t> original, std::span<float> parameters);

/// The vectors of words in a saved text_classifier, without those of runs and parts of words and of rare words. Throws
/// config_error for another model, and for one without words; `source` is its name in messages.
word_vectors vectors_in(const saved_model& saved, const std::string& source);

}  // namespace hogwild
