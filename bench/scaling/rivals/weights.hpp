// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <vector>

// The weights that other programs leave as text, by column number: weights[5] belongs to column 5, weights[0] to none.
// All throw input_error where the text is not what they expect.

namespace hogwild::bench {

/// A model of LIBLINEAR with two labels and no bias: of the larger label.
std::vector<double> read_liblinear(std::istream& in);

/// What vw --readable_model wrote, with or without the further numbers of --save_resume.
std::vector<double> read_vw(std::istream& in);

/// Lines "column weight".
std::vector<double> read_pairs(std::istream& in);

/// Opens the file for one of the above.
std::vector<double> read_weights(const std::filesystem::path& file, std::vector<double> (*read)(std::istream&));

}  // namespace hogwild::bench
