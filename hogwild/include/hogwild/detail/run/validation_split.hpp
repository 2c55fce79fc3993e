// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/data/labels.hpp>

namespace hogwild {

/// Whether each row is held back as validation: `fraction` of them in (0, 1), to the nearest row, drawn by the seed. Of
/// each of two labels, or of each class, this fraction is held back, rounded up or down by chance, but never the last
/// row of a class, so that fewer may be held back where there are many small ones. Numbers, and lists of labels, are
/// drawn from as a whole. Throws config_error where no row would be left on one side.
std::vector<bool> draw_validation(const label_column& labels, const label_map& known, double fraction,
                                  std::uint64_t seed);

/// Copies of the rows on both sides, each in the order that they had.
struct validation_split {
  sparse_dataset training, validation;
};
validation_split split_rows(const sparse_view& rows, const std::vector<bool>& held_back);

}  // namespace hogwild
