// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

/// The vectors that a saved model of documents gives to the lines of a text, by the numbers of the lines from 0 on.
/// Says, unless `files` are quiet, how many lines have no word that it knows.
word_vectors vectors_of_lines(const saved_model& saved, const std::string& path, const data_options& files);

/// A line for each vector: its numbers between blanks, or with `json` an object.
std::string text_of_vectors(const word_vectors& vectors, bool json);

}  // namespace hogwild::cli
