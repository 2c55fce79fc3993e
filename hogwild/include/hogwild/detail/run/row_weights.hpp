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

/// For each label of the map, in its order, the weight of its rows; empty if all weigh 1. `training` are the rows of
/// this process. Throws config_error for weights that are negative or not finite, for labels that are not in the map,
/// for two weights of one label, for rows with lists of labels, and for a model without classes; input_error for
/// balanced weights of a class without rows.
std::vector<double> weights_of_labels(const train_options& options, const label_map& labels,
                                      const sparse_view& training, const agreement& ranks);

/// The weight of each row: its own weight times that of its label, divided by the mean over all rows (of all ranks, if
/// `ranks` is not null). Empty if there are neither row weights nor label weights, so that all weigh 1. Throws
/// config_error if only some ranks have weights, and if rows with lists of labels would take weights of labels;
/// input_error, which names `source`, if all weights are 0.
std::vector<float> row_weights(const sparse_view& rows, std::span<const double> of_labels, const label_map& labels,
                               const std::string& source, const agreement* ranks);

}  // namespace hogwild
