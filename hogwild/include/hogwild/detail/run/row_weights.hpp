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

/// The weight of a row of each label of the map, in its order; empty if all weigh 1. `training` are the rows of this
/// process. Throws config_error for weights that are negative or not finite, for labels that are not in the map, for
/// two weights of one label, and for a model without classes; input_error for balanced weights of a class without rows.
std::vector<double> weights_of_labels(const train_options& options, const label_map& labels,
                                      const sparse_view& training, const agreement& ranks);

/// The weight of each row: its own weight times that of its label, over the mean over all rows, those of all ranks if
/// `ranks` is not null. Empty if there are neither row weights nor label weights, so that all weigh 1. Throws
/// input_error, which names `source`, if all weights are 0, or a row has a list of labels that have weights.
std::vector<float> row_weights(const sparse_view& rows, std::span<const double> of_labels, const label_map& labels,
                               const std::string& source, const agreement* ranks);

}  // namespace hogwild
