// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

class agreement;

/// What a row of each label of the map weighs, in its order; empty where all weigh 1. `training` are the rows of this
/// process. Throws config_error for weights that are negative or not finite, for labels that the map has not, for two
/// weights of a label, and for a model without classes; input_error for balanced weights of a class without rows.
std::vector<double> weights_of_labels(const train_options& options, const label_map& labels,
                                      const sparse_view& training, const agreement& ranks);

/// What each row counts: its weight times that of its label, over the mean of that of all rows, and of those of all
/// ranks where `ranks` is not null. Empty where neither says anything, so that all count 1. Throws input_error, with
/// `source` as where they come from, where no row counts anything, or a row has a list of labels that have weights.
std::vector<float> row_weights(const sparse_view& rows, std::span<const double> of_labels, const label_map& labels,
                               const std::string& source, const agreement* ranks);

}  // namespace hogwild
